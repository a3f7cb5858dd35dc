// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Left out altogether, because the distribution's build does not have them or they solve another problem: LCP QP and
// NSQP (their quadratic programme solver was removed: they end the process), everything on PATH and GAMS, MLCP SIMPLEX,
// SOCLCP and global IPM (the associated law, without the non-convex part of Coulomb's), Siconos' one-contact solvers.
#include "bench/siconos_catalogue.h"

#include <Friction_cst.h>
#include <array>
#include <lcp_cst.h>
#include <mlcp_cst.h>
#include <relay_cst.h>

namespace stickslip::bench {
namespace {

using enum SiconosForm;
using enum SiconosStorage;

// Enumeration visits up to 2^n modes of n complementary pairs.
constexpr int kLargestEnumeration = 20;

constexpr auto kLcp = std::to_array<SiconosSolver>({
    {.name = "LEMKE", .form = Lcp, .id = SICONOS_LCP_LEMKE, .storage = Dense},
    {.name = "PIVOT", .form = Lcp, .id = SICONOS_LCP_PIVOT, .storage = Dense},
    {.name = "PIVOT_LUMOD", .form = Lcp, .id = SICONOS_LCP_PIVOT_LUMOD, .storage = Dense},
    {.name = "PATHSEARCH", .form = Lcp, .id = SICONOS_LCP_PATHSEARCH, .storage = Dense},
    {.name = "AVI_CAOFERRIS", .form = Lcp, .id = SICONOS_LCP_AVI_CAOFERRIS, .storage = Dense},
    {.name = "BARD", .form = Lcp, .id = SICONOS_LCP_BARD, .storage = Dense},
    {.name = "MURTY", .form = Lcp, .id = SICONOS_LCP_MURTY, .storage = Dense},
    {.name = "NEWTON_MIN", .form = Lcp, .id = SICONOS_LCP_NEWTONMIN, .storage = Dense},
    {.name = "NEWTON_FB", .form = Lcp, .id = SICONOS_LCP_NEWTON_FB_FBLSA, .storage = Dense},
    {.name = "NEWTON_MIN_FB", .form = Lcp, .id = SICONOS_LCP_NEWTON_MIN_FBLSA, .storage = Dense},
    {.name = "PGS", .form = Lcp, .id = SICONOS_LCP_PGS, .storage = Dense},
    {.name = "RPGS", .form = Lcp, .id = SICONOS_LCP_RPGS, .storage = Dense},
    {.name = "PSOR", .form = Lcp, .id = SICONOS_LCP_PSOR, .storage = Dense},
    {.name = "CPG", .form = Lcp, .id = SICONOS_LCP_CPG, .storage = Dense},
    {.name = "LATIN", .form = Lcp, .id = SICONOS_LCP_LATIN, .storage = Dense},
    {.name = "CONVEXQP_PG", .form = Lcp, .id = SICONOS_LCP_CONVEXQP_PG, .storage = Dense},
    {.name = "ENUM",
     .form = Lcp,
     .id = SICONOS_LCP_ENUM,
     .storage = Dense,
     .max_size = kLargestEnumeration,
     .raise_iterations = false},
});

constexpr auto kMlcp = std::to_array<SiconosSolver>({
    {.name = "M_LCP_LEMKE", .form = Mlcp, .id = SICONOS_MLCP_LCP_LEMKE, .storage = Dense},
    {.name = "M_FB", .form = Mlcp, .id = SICONOS_MLCP_FB, .storage = Dense},
    {.name = "M_DIRECT_FB", .form = Mlcp, .id = SICONOS_MLCP_DIRECT_FB, .storage = Dense},
    {.name = "M_PGS", .form = Mlcp, .id = SICONOS_MLCP_PGS, .storage = Dense},
    {.name = "M_RPGS", .form = Mlcp, .id = SICONOS_MLCP_RPGS, .storage = Dense},
    {.name = "M_PSOR", .form = Mlcp, .id = SICONOS_MLCP_PSOR, .storage = Dense},
    {.name = "M_RPSOR", .form = Mlcp, .id = SICONOS_MLCP_RPSOR, .storage = Dense},
    {.name = "M_ENUM",
     .form = Mlcp,
     .id = SICONOS_MLCP_ENUM,
     .storage = Dense,
     .max_size = kLargestEnumeration,
     .raise_iterations = false},
    {.name = "M_DIRECT_ENUM",
     .form = Mlcp,
     .id = SICONOS_MLCP_DIRECT_ENUM,
     .storage = Dense,
     .max_size = kLargestEnumeration,
     .raise_iterations = false},
});

constexpr auto kRelay = std::to_array<SiconosSolver>({
    {.name = "R_LEMKE", .form = Relay, .id = SICONOS_RELAY_LEMKE, .storage = Dense},
    {.name = "R_AVI_CAOFERRIS", .form = Relay, .id = SICONOS_RELAY_AVI_CAOFERRIS, .storage = Dense},
    {.name = "R_PGS", .form = Relay, .id = SICONOS_RELAY_PGS, .storage = Dense},
    {.name = "R_ENUM",
     .form = Relay,
     .id = SICONOS_RELAY_ENUM,
     .storage = Dense,
     .max_size = kLargestEnumeration,
     .raise_iterations = false},
});

constexpr auto kFriction2d = std::to_array<SiconosSolver>({
    {.name = "F2_NSGS", .form = Friction2d, .id = SICONOS_FRICTION_2D_NSGS, .storage = Block},
    {.name = "F2_CPG", .form = Friction2d, .id = SICONOS_FRICTION_2D_CPG, .storage = Dense},
    {.name = "F2_LEMKE", .form = Friction2d, .id = SICONOS_FRICTION_2D_LEMKE, .storage = Dense},
    {.name = "F2_ENUM",
     .form = Friction2d,
     .id = SICONOS_FRICTION_2D_ENUM,
     .storage = Dense,
     .max_size = 6,
     .raise_iterations = false},
});

constexpr auto kFriction3d = std::to_array<SiconosSolver>({
    {.name = "NSGS", .form = Friction3d, .id = SICONOS_FRICTION_3D_NSGS, .storage = Block},
    {.name = "NSGS_PLI",
     .form = Friction3d,
     .id = SICONOS_FRICTION_3D_NSGS,
     .storage = Block,
     .local_solver = SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration},
    {.name = "NSGS_QUARTIC",
     .form = Friction3d,
     .id = SICONOS_FRICTION_3D_NSGS,
     .storage = Block,
     .local_solver = SICONOS_FRICTION_3D_ONECONTACT_QUARTIC},
    {.name = "NSN_AC", .form = Friction3d, .id = SICONOS_FRICTION_3D_NSN_AC, .storage = Block},
    {.name = "NSN_AC_HYB",
     .form = Friction3d,
     .id = SICONOS_FRICTION_3D_NSN_AC,
     .storage = Block,
     .hybrid = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN},
    {.name = "NSN_FB", .form = Friction3d, .id = SICONOS_FRICTION_3D_NSN_FB, .storage = Block},
    {.name = "NSN_NM", .form = Friction3d, .id = SICONOS_FRICTION_3D_NSN_NM, .storage = Block},
    {.name = "PROX", .form = Friction3d, .id = SICONOS_FRICTION_3D_PROX, .storage = Block},
    {.name = "ADMM", .form = Friction3d, .id = SICONOS_FRICTION_3D_ADMM, .storage = Sparse},
    {.name = "VI_EG", .form = Friction3d, .id = SICONOS_FRICTION_3D_VI_EG, .storage = Block},
    {.name = "VI_FPP", .form = Friction3d, .id = SICONOS_FRICTION_3D_VI_FPP, .storage = Block},
    {.name = "ACLMFP", .form = Friction3d, .id = SICONOS_FRICTION_3D_ACLMFP, .storage = Block},
    {.name = "TFP", .form = Friction3d, .id = SICONOS_FRICTION_3D_TFP, .storage = Block},
    {.name = "PFP", .form = Friction3d, .id = SICONOS_FRICTION_3D_PFP, .storage = Block},
    {.name = "DSFP", .form = Friction3d, .id = SICONOS_FRICTION_3D_DSFP, .storage = Block},
});

constexpr auto kGlobalFriction3d = std::to_array<SiconosSolver>({
    {.name = "G_ADMM", .form = GlobalFriction3d, .id = SICONOS_GLOBAL_FRICTION_3D_ADMM, .storage = Sparse},
    {.name = "G_ADMM_WR", .form = GlobalFriction3d, .id = SICONOS_GLOBAL_FRICTION_3D_ADMM_WR, .storage = Sparse},
    {.name = "G_NSGS_WR", .form = GlobalFriction3d, .id = SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, .storage = Sparse},
    {.name = "G_NSN_AC", .form = GlobalFriction3d, .id = SICONOS_GLOBAL_FRICTION_3D_NSN_AC, .storage = Sparse},
    {.name = "G_NSN_AC_WR", .form = GlobalFriction3d, .id = SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, .storage = Sparse},
    {.name = "G_ACLMFP", .form = GlobalFriction3d, .id = SICONOS_GLOBAL_FRICTION_3D_ACLMFP, .storage = Sparse},
    {.name = "G_VI_EG", .form = GlobalFriction3d, .id = SICONOS_GLOBAL_FRICTION_3D_VI_EG, .storage = Sparse},
    {.name = "G_VI_FPP", .form = GlobalFriction3d, .id = SICONOS_GLOBAL_FRICTION_3D_VI_FPP, .storage = Sparse},
});

}  // namespace

std::span<const SiconosSolver> siconos_solvers(SiconosForm form) {
  switch (form) {
    case Lcp: return kLcp;
    case Mlcp: return kMlcp;
    case Relay: return kRelay;
    case Friction2d: return kFriction2d;
    case Friction3d: return kFriction3d;
    case GlobalFriction3d: return kGlobalFriction3d;
  }
  return {};
}

std::string_view reason_to_skip(const SiconosSolver& solver, std::string_view problem_class, int size) {
  if (solver.max_size > 0 && size > solver.max_size) return "exponential in the size";
  (void)problem_class;
  return {};
}

}  // namespace stickslip::bench
