// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Left out altogether, because the distribution's build does not have them or they solve another problem: LCP QP and
// NSQP (their quadratic programme solver was removed: they end the process), everything on PATH and GAMS, MLCP SIMPLEX,
// SOCLCP and global IPM (the associated law, without the non-convex part of Coulomb's), Siconos' one-contact solvers;
// LCP LATIN and CONVEXQP_PG (100 times behind the best of the others wherever they converge, else time-outs).
#include "bench/siconos_catalogue.h"

#include <Friction_cst.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>
#include <relay_cst.h>
#include <array>

namespace stickslip::bench {
namespace {

using enum SiconosForm;
using enum SiconosStorage;

// Enumeration visits up to 2^n modes of n complementary pairs.
constexpr int kLargestEnumeration = 20;
// Beyond these sizes the block and sparse storages are the faster ones for every solver (measured on the corpus).
constexpr int kLargestDense3d = 130;
constexpr int kLargestDense2d = 400;

constexpr SiconosSolver lcp(const char* name, int id) {
  return {.name = name, .form = Lcp, .id = id};
}

constexpr auto kLcp = std::to_array<SiconosSolver>({
    lcp("LEMKE", SICONOS_LCP_LEMKE),
    lcp("PIVOT", SICONOS_LCP_PIVOT),
    lcp("PIVOT_LUMOD", SICONOS_LCP_PIVOT_LUMOD),
    lcp("PATHSEARCH", SICONOS_LCP_PATHSEARCH),
    lcp("AVI_CAOFERRIS", SICONOS_LCP_AVI_CAOFERRIS),
    lcp("BARD", SICONOS_LCP_BARD),
    lcp("MURTY", SICONOS_LCP_MURTY),
    lcp("NEWTON_MIN", SICONOS_LCP_NEWTONMIN),
    lcp("NEWTON_FB", SICONOS_LCP_NEWTON_FB_FBLSA),
    lcp("NEWTON_MIN_FB", SICONOS_LCP_NEWTON_MIN_FBLSA),
    lcp("PGS", SICONOS_LCP_PGS),
    {.name = "PGS", .form = Lcp, .id = SICONOS_LCP_PGS, .storage = Sparse},  // all others crash with this storage
    lcp("RPGS", SICONOS_LCP_RPGS),
    lcp("PSOR", SICONOS_LCP_PSOR),
    lcp("CPG", SICONOS_LCP_CPG),
    {.name = "ENUM", .form = Lcp, .id = SICONOS_LCP_ENUM, .max_size = kLargestEnumeration, .raise_iterations = false},
});

constexpr SiconosSolver mlcp(const char* name, int id) {
  return {.name = name, .form = Mlcp, .id = id};
}

constexpr auto kMlcp = std::to_array<SiconosSolver>({
    mlcp("M_LCP_LEMKE", SICONOS_MLCP_LCP_LEMKE),
    mlcp("M_FB", SICONOS_MLCP_FB),
    mlcp("M_DIRECT_FB", SICONOS_MLCP_DIRECT_FB),
    mlcp("M_PGS", SICONOS_MLCP_PGS),
    mlcp("M_RPGS", SICONOS_MLCP_RPGS),
    mlcp("M_PSOR", SICONOS_MLCP_PSOR),
    mlcp("M_RPSOR", SICONOS_MLCP_RPSOR),
    {.name = "M_ENUM",
     .form = Mlcp,
     .id = SICONOS_MLCP_ENUM,
     .max_size = kLargestEnumeration,
     .raise_iterations = false},
    {.name = "M_DIRECT_ENUM",
     .form = Mlcp,
     .id = SICONOS_MLCP_DIRECT_ENUM,
     .max_size = kLargestEnumeration,
     .raise_iterations = false},
});

constexpr SiconosSolver relay(const char* name, int id, int max_size = 0) {
  return {.name = name, .form = Relay, .id = id, .max_size = max_size, .raise_iterations = max_size == 0};
}

constexpr auto kRelay = std::to_array<SiconosSolver>({
    relay("R_LEMKE", SICONOS_RELAY_LEMKE), relay("R_AVI_CAOFERRIS", SICONOS_RELAY_AVI_CAOFERRIS),
    relay("R_PGS", SICONOS_RELAY_PGS), relay("R_ENUM", SICONOS_RELAY_ENUM, 10),  // 3^n modes
});

constexpr auto kFriction2d = std::to_array<SiconosSolver>({
    {.name = "F2_NSGS", .form = Friction2d, .id = SICONOS_FRICTION_2D_NSGS, .storage = Block},
    {.name = "F2_NSGS", .form = Friction2d, .id = SICONOS_FRICTION_2D_NSGS, .max_size = kLargestDense2d},
    {.name = "F2_CPG", .form = Friction2d, .id = SICONOS_FRICTION_2D_CPG, .storage = Block},
    {.name = "F2_CPG", .form = Friction2d, .id = SICONOS_FRICTION_2D_CPG, .max_size = 2 * kLargestDense2d},
    {.name = "F2_LEMKE", .form = Friction2d, .id = SICONOS_FRICTION_2D_LEMKE, .max_size = 2 * kLargestDense2d},
    {.name = "F2_ENUM", .form = Friction2d, .id = SICONOS_FRICTION_2D_ENUM, .max_size = 6, .raise_iterations = false},
});

struct FrictionMethod {
  const char* name;
  int id;
  SiconosStorage large;  // storage for any size, beside the dense one for small problems
  int local_solver = 0;
  int hybrid = 0;
};

constexpr auto kFriction3dMethods = std::to_array<FrictionMethod>({
    {"NSGS", SICONOS_FRICTION_3D_NSGS, Block},
    {"NSGS_PLI", SICONOS_FRICTION_3D_NSGS, Block, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration},
    {"NSGS_QUARTIC", SICONOS_FRICTION_3D_NSGS, Block, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, Block},
    {"NSN_AC_HYB", SICONOS_FRICTION_3D_NSN_AC, Block, 0, SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN},
    {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, Block},
    {"NSN_NM", SICONOS_FRICTION_3D_NSN_NM, Block},
    {"PROX", SICONOS_FRICTION_3D_PROX, Block},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, Sparse},
    {"VI_EG", SICONOS_FRICTION_3D_VI_EG, Block},
    {"VI_FPP", SICONOS_FRICTION_3D_VI_FPP, Block},
    {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP, Block},
    {"TFP", SICONOS_FRICTION_3D_TFP, Block},
    {"PFP", SICONOS_FRICTION_3D_PFP, Block},
    {"DSFP", SICONOS_FRICTION_3D_DSFP, Block},
});

constexpr auto kGlobalMethods = std::to_array<FrictionMethod>({
    {"G_ADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM, Sparse},
    {"G_ADMM_WR", SICONOS_GLOBAL_FRICTION_3D_ADMM_WR, Sparse},
    {"G_NSGS_WR", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, Sparse},
    {"G_NSN_AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, Sparse},
    {"G_NSN_AC_WR", SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, Sparse},
    {"G_ACLMFP", SICONOS_GLOBAL_FRICTION_3D_ACLMFP, Sparse},
    {"G_VI_EG", SICONOS_GLOBAL_FRICTION_3D_VI_EG, Sparse},
    {"G_VI_FPP", SICONOS_GLOBAL_FRICTION_3D_VI_FPP, Sparse},
});

template <std::size_t N>
constexpr std::array<SiconosSolver, 2 * N> with_both_storages(SiconosForm form,
                                                              const std::array<FrictionMethod, N>& methods) {
  std::array<SiconosSolver, 2 * N> solvers{};
  for (std::size_t i = 0; i < N; ++i) {
    const FrictionMethod& method = methods[i];
    SiconosSolver solver{.name = method.name,
                         .form = form,
                         .id = method.id,
                         .storage = method.large,
                         .local_solver = method.local_solver,
                         .hybrid = method.hybrid};
    solvers[2 * i] = solver;
    solver.storage = Dense;
    solver.max_size = kLargestDense3d;
    solvers[2 * i + 1] = solver;
  }
  return solvers;
}

constexpr auto kFriction3d = with_both_storages(Friction3d, kFriction3dMethods);
constexpr auto kGlobalFriction3d = with_both_storages(GlobalFriction3d, kGlobalMethods);

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

std::string_view reason_to_skip(const SiconosSolver& solver, int size) {
  if (solver.max_size == 0 || size <= solver.max_size) return {};
  return solver.raise_iterations ? "dense matrix too large" : "exponential in the size";
}

}  // namespace stickslip::bench
