// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A small dense linear program that is asked many times, with rows that come and go:
//
//     maximise  c' y    over   a_i' y <= b_i,    y free,    b_i >= 0
//
// y = 0 is allowed, so that no first phase is needed. The dictionary (Chvatal 1983, chapters 2 and 3)
//
//     x_B = beta + T x_N          z = z_0 + c_N' x_N
//
// holds the slacks s_i = b_i - a_i' y >= 0 and the unknowns y; it stays from one objective to the next, and a row that is
// added when an objective was at its largest is met by the dual method.
//
// Symbol       variable            meaning
//   x_B, x_N   basic_, nonbasic_   which variable: 0 .. d - 1 are y, d + i the slack of row i
//   beta, T    beta_, T_           values of the basic variables, and how they answer to the others
//   c_N        cost_               reduced costs
//
// Largest coefficient first; the rule of Bland (1977) while nothing is gained, so that it ends. The ratio test lets slacks be
// negative by kSlackNoise to choose a larger pivot (Harris 1973). After kRefresh exchanges, and where an answer does not
// satisfy the rows as given, the dictionary is made anew from them.
//
// Assumptions: rows of length about 1, numbers of about 1 (the caller scales). Cost: rows times unknowns per exchange.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace stickslip::contact {

class LinearProgram {
 public:
  enum class End : char { Bounded, Unbounded, Stalled };

  // Without rows.
  void begin(Eigen::Index unknowns);
  // b >= 0, up to rounding.
  void add_row(const Eigen::VectorXd& a, double b);
  // b of a row, anew.
  void set_limit(Eigen::Index row, double b);
  // Drops rows after the first `kept` that do not bind now.
  void drop_slack_rows(Eigen::Index kept);

  // From where the last objective ended.
  [[nodiscard]] End maximise(const Eigen::VectorXd& c);

  [[nodiscard]] Eigen::Index rows() const { return static_cast<Eigen::Index>(row_.size()); }
  [[nodiscard]] const Eigen::VectorXd& y() const { return y_; }      // where it is largest
  [[nodiscard]] const Eigen::VectorXd& ray() const { return ray_; }  // along which it grows for ever, where it does

 private:
  struct Row {
    Eigen::VectorXd a;
    double b = 0;
  };
  using Dictionary = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  [[nodiscard]] bool is_free(int variable) const { return variable < unknowns_; }
  void append(const Row& row, int slack);  // to the dictionary
  void set_costs(const Eigen::VectorXd& c);
  void refresh();  // the same basis from the rows as given
  void restart();  // y = 0
  void exchange(Eigen::Index row, Eigen::Index column);
  [[nodiscard]] Eigen::Index entering(bool bland) const;
  [[nodiscard]] Eigen::Index leaving(Eigen::Index column, double sign, bool bland) const;
  [[nodiscard]] bool costs_are_best() const;
  bool meet_rows();
  End climb(const Eigen::VectorXd& c);
  // y of the dictionary. False: rows as given do not have the slacks of the dictionary, by more than rounding.
  [[nodiscard]] bool read_answer();

  int unknowns_ = 0;
  std::vector<Row> row_;
  std::vector<int> basic_, nonbasic_;
  Dictionary T_;  // the first rows() rows are in use
  Eigen::VectorXd beta_, cost_, y_, ray_, pivot_row_, slack_;
  int exchanges_ = 0, exchanges_left_ = 0;
};

}  // namespace stickslip::contact
