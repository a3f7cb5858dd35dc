// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// In which order, and in which dense fronts, the nodes of a graph are eliminated: the symbolic half of block_lu.h.
// A node is a contact or a group of contacts; its size is its number of unknowns.
//
// Minimum degree on the quotient graph (after Amestoy, Davis and Duff 1996, AMD): an eliminated node
// becomes an element, its neighbours a clique; elements that a new one covers are absorbed; degrees are upper bounds.
// Nodes with the same neighbourhood (the corners of one face on another) are merged beforehand and eliminated
// together. Each element is a front; a front is merged into its parent when that adds few explicit zeros, because one
// bigger dense front is faster than two.
//
// A graph that is small or nearly full is one single front. Cost: near linear in the stored blocks plus the fill.
// No allocation once the workspaces have grown.
#pragma once

#include <span>
#include <vector>

namespace stickslip::complementarity {

class EliminationPlan {
 public:
  // Graph in compressed rows (symmetric, with the diagonal); size of each node, or of all when there is only one entry.
  // Does nothing when it is the graph of the last call.
  void analyse(std::span<const int> row_start, std::span<const int> column, std::span<const int> size);

  // Fronts in postorder: children stand before their parent.
  [[nodiscard]] int fronts() const { return static_cast<int>(front_parent_.size()); }
  [[nodiscard]] int parent(int front) const { return front_parent_[front]; }
  // The nodes eliminated in this front, in order.
  [[nodiscard]] std::span<const int> pivots(int front) const {
    return {front_node_.data() + front_start_[front], static_cast<std::size_t>(front_pivots_[front])};
  }
  // The later nodes that they touch, fill included.
  [[nodiscard]] std::span<const int> later(int front) const {
    const int first = front_start_[front] + front_pivots_[front];
    return {front_node_.data() + first, static_cast<std::size_t>(front_start_[front + 1] - first)};
  }
  // Position of each node in the order of elimination.
  [[nodiscard]] std::span<const int> position() const { return position_; }

 private:
  void one_front(int n);
  void merge_twins();
  void build_quotient_graph();
  void eliminate_all();
  int next_pivot();
  void eliminate(int pivot);
  void form_element(int pivot);
  void measure_elements(int pivot);
  void update_variable(int variable, int pivot);
  void set_degree(int variable, int degree);
  void unlink(int variable);
  void merge_fronts();
  void postorder();
  void collect_fronts();

  std::vector<int> row_start_, column_, size_;  // the analysed graph

  // Twins: nodes with equal closed neighbourhoods hang in a list behind their representative.
  std::vector<int> representative_, next_twin_, weight_;
  std::vector<unsigned> hash_;

  // Quotient graph: each variable's list holds its elements first, then variables. An element's list holds variables.
  std::vector<int> list_, list_start_, element_count_, list_length_;
  std::vector<int> element_list_, element_start_, element_length_, element_weight_, outside_;
  std::vector<int> element_parent_;
  std::vector<char> state_;
  std::vector<int> stamp_, outside_stamp_;
  int time_ = 0, remaining_ = 0, lowest_ = 0;
  std::vector<int> degree_, bucket_, bucket_next_, bucket_previous_;
  std::vector<int> order_;         // representatives in order of elimination
  std::vector<int> element_of_;    // the element in which each representative was eliminated
  std::vector<int> pivot_weight_;  // unknowns eliminated in each element
  std::vector<int> merged_into_;   // fronts after merging
  std::vector<int> first_child_, next_sibling_, visit_;
  std::vector<int> front_number_, fill_, node_count_;

  std::vector<int> front_parent_, front_start_, front_pivots_, front_node_, position_;
};

}  // namespace stickslip::complementarity
