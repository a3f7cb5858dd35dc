// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/elimination_plan.h"

#include <algorithm>

namespace stickslip::complementarity {
namespace {

enum EliminationState : char {
  kVariable,
  kElement,
  kAbsorbed,
  kMerged
};  // kMerged: twin or eliminated together with another

constexpr int kSmallGraph = 12;       // nodes; up to here one dense front is always as fast
constexpr double kNearlyFull = 0.6;   // share of stored blocks from which fill makes everything dense anyway
constexpr int kTinyFront = 18;        // unknowns; merging below this size never costs
constexpr double kMergeZeros = 0.12;  // share of explicit zeros accepted in a merged front

}  // namespace

void EliminationPlan::analyse(std::span<const int> row_start, std::span<const int> column, std::span<const int> size) {
  const auto equal = [](std::span<const int> a, const std::vector<int>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  if (!position_.empty() && equal(row_start, row_start_) && equal(column, column_) && equal(size, size_)) return;
  row_start_.assign(row_start.begin(), row_start.end());
  column_.assign(column.begin(), column.end());
  size_.assign(size.begin(), size.end());
  const int n = static_cast<int>(row_start.size()) - 1;
  const double full = static_cast<double>(n) * n;
  if (n <= kSmallGraph || static_cast<double>(column.size()) >= kNearlyFull * full) return one_front(n);
  merge_twins();
  build_quotient_graph();
  eliminate_all();
  merge_fronts();
  postorder();
  collect_fronts();
}

void EliminationPlan::one_front(int n) {
  front_parent_.assign(1, -1);
  front_start_.assign({0, n});
  front_pivots_.assign(1, n);
  front_node_.resize(n), position_.resize(n);
  for (int c = 0; c < n; ++c) front_node_[c] = position_[c] = c;
}

void EliminationPlan::merge_twins() {
  const int n = static_cast<int>(row_start_.size()) - 1;
  representative_.resize(n), next_twin_.assign(n, -1), weight_.resize(n), hash_.resize(n);
  for (int c = 0; c < n; ++c) weight_[c] = size_.size() == 1 ? size_[0] : size_[c];
  const auto row = [this](int c) {
    return std::span(column_).subspan(row_start_[c], row_start_[c + 1] - row_start_[c]);
  };
  for (int c = 0; c < n; ++c) {
    representative_[c] = c;
    hash_[c] = 0;
    for (int j : row(c)) hash_[c] += 2654435761u * static_cast<unsigned>(j + 1);
  }
  for (int c = 0; c < n; ++c) {
    if (representative_[c] != c) continue;
    for (int j : row(c)) {
      if (j <= c || representative_[j] != j || hash_[j] != hash_[c]) continue;
      if (!std::equal(row(c).begin(), row(c).end(), row(j).begin(), row(j).end())) continue;
      representative_[j] = c;
      next_twin_[j] = next_twin_[c], next_twin_[c] = j;
      weight_[c] += weight_[j];
    }
  }
}

void EliminationPlan::build_quotient_graph() {
  const int n = static_cast<int>(representative_.size());
  remaining_ = 0;
  for (int c = 0; c < n; ++c)
    if (representative_[c] == c) remaining_ += weight_[c];
  list_.clear(), element_list_.clear(), order_.clear();
  list_start_.assign(n, 0), list_length_.assign(n, 0), element_count_.assign(n, 0);
  element_start_.assign(n, 0), element_length_.assign(n, 0), element_weight_.assign(n, 0), outside_.assign(n, 0);
  element_parent_.assign(n, -1), element_of_.assign(n, -1), pivot_weight_.assign(n, 0);
  state_.assign(n, kVariable), stamp_.assign(n, 0), outside_stamp_.assign(n, 0);
  degree_.assign(n, 0), bucket_.assign(remaining_ + 1, -1), bucket_next_.assign(n, -1), bucket_previous_.assign(n, -1);
  time_ = 0, lowest_ = 0;
  for (int c = 0; c < n; ++c) {
    if (representative_[c] != c) {
      state_[c] = kMerged;
      continue;
    }
    list_start_[c] = static_cast<int>(list_.size());
    int degree = 0;
    for (int p = row_start_[c]; p < row_start_[c + 1]; ++p) {
      const int j = column_[p];
      if (j == c || representative_[j] != j) continue;  // a twin's representative is a neighbour as well
      list_.push_back(j);
      degree += weight_[j];
    }
    list_length_[c] = static_cast<int>(list_.size()) - list_start_[c];
    set_degree(c, degree);
  }
}

void EliminationPlan::set_degree(int variable, int degree) {
  degree_[variable] = degree;
  bucket_previous_[variable] = -1;
  bucket_next_[variable] = bucket_[degree];
  if (bucket_[degree] >= 0) bucket_previous_[bucket_[degree]] = variable;
  bucket_[degree] = variable;
  lowest_ = std::min(lowest_, degree);
}

void EliminationPlan::unlink(int variable) {
  const int previous = bucket_previous_[variable], next = bucket_next_[variable];
  (previous >= 0 ? bucket_next_[previous] : bucket_[degree_[variable]]) = next;
  if (next >= 0) bucket_previous_[next] = previous;
}

int EliminationPlan::next_pivot() {
  while (bucket_[lowest_] < 0) ++lowest_;
  return bucket_[lowest_];
}

void EliminationPlan::eliminate_all() {
  while (remaining_ > 0) eliminate(next_pivot());
}

void EliminationPlan::eliminate(int pivot) {
  unlink(pivot);
  form_element(pivot);
  measure_elements(pivot);
  order_.push_back(pivot);
  element_of_[pivot] = pivot;
  pivot_weight_[pivot] = weight_[pivot];
  remaining_ -= weight_[pivot];
  const int start = element_start_[pivot], end = start + element_length_[pivot];
  for (int p = start; p < end; ++p) update_variable(element_list_[p], pivot);
  // Variables that were eliminated along with the pivot leave its element.
  int kept = start;
  for (int p = start; p < end; ++p)
    if (state_[element_list_[p]] == kVariable) element_list_[kept++] = element_list_[p];
  element_length_[pivot] = kept - start;
}

// The new element: all variables that the pivot touches, directly or through elements, which it absorbs.
void EliminationPlan::form_element(int pivot) {
  ++time_;
  stamp_[pivot] = time_;
  state_[pivot] = kElement;
  element_start_[pivot] = static_cast<int>(element_list_.size());
  int weight = 0;
  const auto add = [&](int v) {
    if (state_[v] != kVariable || stamp_[v] == time_) return;
    stamp_[v] = time_;
    element_list_.push_back(v);
    weight += weight_[v];
  };
  const int start = list_start_[pivot];
  for (int p = start; p < start + element_count_[pivot]; ++p) {
    const int e = list_[p];
    if (state_[e] != kElement) continue;
    for (int k = 0; k < element_length_[e]; ++k) add(element_list_[element_start_[e] + k]);
    state_[e] = kAbsorbed;
    element_parent_[e] = pivot;
  }
  for (int p = start + element_count_[pivot]; p < start + list_length_[pivot]; ++p) add(list_[p]);
  element_length_[pivot] = static_cast<int>(element_list_.size()) - element_start_[pivot];
  element_weight_[pivot] = weight;
}

// outside_[e]: weight of element e outside the new one, for every element that shares a variable with it.
void EliminationPlan::measure_elements(int pivot) {
  for (int k = 0; k < element_length_[pivot]; ++k) {
    const int v = element_list_[element_start_[pivot] + k];
    for (int p = list_start_[v]; p < list_start_[v] + element_count_[v]; ++p) {
      const int e = list_[p];
      if (state_[e] != kElement) continue;
      if (outside_stamp_[e] != time_) outside_stamp_[e] = time_, outside_[e] = element_weight_[e];
      outside_[e] -= weight_[v];
    }
  }
}

void EliminationPlan::update_variable(int variable, int pivot) {
  const int start = list_start_[variable], elements_end = start + element_count_[variable];
  const int end = start + list_length_[variable];
  int degree = element_weight_[pivot] - weight_[variable];
  int out = start;
  for (int p = start; p < elements_end; ++p) {
    const int e = list_[p];
    if (state_[e] != kElement || e == pivot) continue;
    if (outside_[e] == 0) {  // covered by the new element
      state_[e] = kAbsorbed;
      element_parent_[e] = pivot;
      continue;
    }
    list_[out++] = e;
    degree += outside_[e];
  }
  // The pivot becomes one of the elements. The list has room for it: either an element was dropped just now, or the
  // pivot was a variable of the list and gives its place.
  const int elements_out = out;
  int variables_in = elements_end, variables_out = elements_out + 1;
  if (elements_out == elements_end) {
    const int at =
        static_cast<int>(std::find(list_.begin() + elements_end, list_.begin() + end, pivot) - list_.begin());
    list_[at] = list_[elements_end];
    ++variables_in;
  }
  for (int p = variables_in; p < end; ++p) {
    const int v = list_[p];
    if (state_[v] != kVariable || stamp_[v] == time_) continue;
    list_[variables_out++] = v;
    degree += weight_[v];
  }
  list_[elements_out] = pivot;
  element_count_[variable] = elements_out + 1 - start;
  list_length_[variable] = variables_out - start;

  unlink(variable);
  const bool only_the_pivot = element_count_[variable] == 1 && list_length_[variable] == 1;
  if (only_the_pivot) {  // eliminated with the pivot at no extra fill
    state_[variable] = kMerged;
    element_of_[variable] = pivot;
    order_.push_back(variable);
    pivot_weight_[pivot] += weight_[variable];
    element_weight_[pivot] -= weight_[variable];
    remaining_ -= weight_[variable];
  } else {
    set_degree(variable, std::max(0, std::min(degree, remaining_ - weight_[variable])));
  }
}

// Children join their parent's front where the zeros that this adds are few.
void EliminationPlan::merge_fronts() {
  const int n = static_cast<int>(representative_.size());
  merged_into_.resize(n);
  for (int e = 0; e < n; ++e) merged_into_[e] = e;
  for (int e : order_) {
    const int parent = element_of_[e] == e ? element_parent_[e] : -1;
    if (parent < 0) continue;
    const double p = pivot_weight_[e], later = element_weight_[e];
    const double parent_size = pivot_weight_[parent] + element_weight_[parent];
    const double zeros = 2 * p * (parent_size - later), size = p + parent_size;
    const double stored = size * size - static_cast<double>(element_weight_[parent]) * element_weight_[parent];
    if (zeros > 0 && size > kTinyFront && zeros > kMergeZeros * stored) continue;
    merged_into_[e] = parent;
    pivot_weight_[parent] += pivot_weight_[e];
  }
  // Later merges move earlier ones along: resolve from the last element to the first.
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) merged_into_[*it] = merged_into_[merged_into_[*it]];
}

void EliminationPlan::postorder() {
  const int n = static_cast<int>(representative_.size());
  first_child_.assign(n + 1, -1), next_sibling_.assign(n, -1), front_number_.assign(n, -1);
  const int root = n;  // above the roots of all trees
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    const int e = *it;
    if (element_of_[e] != e || merged_into_[e] != e) continue;
    const int parent = element_parent_[e] < 0 ? root : merged_into_[element_parent_[e]];
    next_sibling_[e] = first_child_[parent], first_child_[parent] = e;
  }
  front_parent_.clear();
  visit_.assign(1, root);
  int count = 0;
  while (!visit_.empty()) {  // a front is numbered when its children are done
    const int e = visit_.back(), child = first_child_[e];
    if (child >= 0) {
      first_child_[e] = next_sibling_[child];
      visit_.push_back(child);
    } else {
      visit_.pop_back();
      if (e != root) front_number_[e] = count++;
    }
  }
  front_parent_.assign(count, -1);
  for (int e : order_)
    if (front_number_[e] >= 0 && element_parent_[e] >= 0)
      front_parent_[front_number_[e]] = front_number_[merged_into_[element_parent_[e]]];
}

void EliminationPlan::collect_fronts() {
  const int n = static_cast<int>(representative_.size()), count = fronts();
  // Weights count unknowns; here nodes are counted, twins included.
  const auto nodes_behind = [this](int v) {
    int nodes = 0;
    for (int c = v; c >= 0; c = next_twin_[c]) ++nodes;
    return nodes;
  };
  front_start_.assign(count + 1, 0), front_pivots_.assign(count, 0), fill_.assign(count, 0), node_count_.assign(n, 0);
  for (int v : order_) node_count_[v] = nodes_behind(v);
  const auto front_of = [this](int v) { return front_number_[merged_into_[element_of_[v]]]; };
  const auto element = [this](int e) {
    return std::span(element_list_).subspan(element_start_[e], element_length_[e]);
  };
  for (int v : order_) front_pivots_[front_of(v)] += node_count_[v];
  for (int e : order_) {
    const int f = front_number_[e];
    if (f < 0) continue;
    front_start_[f + 1] = front_pivots_[f];
    for (int v : element(e)) front_start_[f + 1] += node_count_[v];
  }
  for (int f = 0; f < count; ++f) front_start_[f + 1] += front_start_[f];

  front_node_.resize(front_start_[count]);
  const auto put = [this](int f, int v) {
    for (int c = v; c >= 0; c = next_twin_[c]) front_node_[front_start_[f] + fill_[f]++] = c;
  };
  for (int v : order_) put(front_of(v), v);
  for (int e : order_)
    if (front_number_[e] >= 0)
      for (int v : element(e)) put(front_number_[e], v);
  position_.resize(n);
  int position = 0;
  for (int f = 0; f < count; ++f)
    for (int c : pivots(f)) position_[c] = position++;
}

}  // namespace stickslip::complementarity
