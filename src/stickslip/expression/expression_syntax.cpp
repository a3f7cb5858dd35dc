// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A Pratt parser: every binary operator has a binding power on its left and right side, and one loop folds operands
// for as long as the next operator binds more tightly than what the caller asked for.
#include "stickslip/expression/expression_syntax.h"

#include <fmt/format.h>
#include <cctype>
#include <charconv>
#include <numbers>
#include <optional>

namespace stickslip::expression {
namespace {

struct Token {
  enum class Kind { Number, Name, Symbol, End };
  Kind kind = Kind::End;
  std::string_view text;
  double number = 0;
  int column = 0;
};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
    Token token;
    token.column = static_cast<int>(position_);
    if (position_ >= text_.size()) return token;
    const char c = text_[position_];
    const bool digit_follows =
        position_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_ + 1])) != 0;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || (c == '.' && digit_follows)) return number(token);
    if (starts_name(c)) return name(token);
    return symbol(token);
  }

 private:
  Token number(Token token) {
    const char* begin = text_.data() + position_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), token.number);
    if (status != std::errc()) throw ExpressionError(token.column, "this number is too large or too small");
    return finish(token, Token::Kind::Number, static_cast<std::size_t>(end - begin));
  }

  // Dots belong to a name when another name follows: stick.x
  Token name(Token token) {
    std::size_t end = position_;
    while (end < text_.size() && continues_name(text_[end])) {
      ++end;
      if (end + 1 < text_.size() && text_[end] == '.' && starts_name(text_[end + 1])) ++end;
    }
    return finish(token, Token::Kind::Name, end - position_);
  }

  Token symbol(Token token) {
    static constexpr std::string_view kPairs[] = {"<=", ">=", "==", "!=", "&&", "||"};
    for (const std::string_view pair : kPairs) {
      if (text_.substr(position_, 2) == pair) return finish(token, Token::Kind::Symbol, 2);
    }
    if (std::string_view("+-*/^<>!?:(),").find(text_[position_]) == std::string_view::npos) {
      const char c = text_[position_];
      const bool printable = std::isprint(static_cast<unsigned char>(c)) != 0;
      throw ExpressionError(
          token.column, printable ? fmt::format("unexpected character '{}'", c) : "unexpected character (not ASCII)",
          c == '='   ? "compare with '=='"
          : c == '&' ? "and is '&&'"
          : c == '|' ? "or is '||'"
                     : "");
    }
    return finish(token, Token::Kind::Symbol, 1);
  }

  Token finish(Token token, Token::Kind kind, std::size_t length) {
    token.kind = kind;
    token.text = text_.substr(position_, length);
    position_ += length;
    return token;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

struct BinaryOperator {
  std::string_view text;
  Operator op;
  int left, right;  // binding powers; left > right: right-associative
};
constexpr BinaryOperator kBinary[] = {
    {"||", Operator::Or, 10, 11},       {"&&", Operator::And, 20, 21},          {"==", Operator::Equal, 30, 31},
    {"!=", Operator::NotEqual, 30, 31}, {"<", Operator::Less, 40, 41},          {"<=", Operator::LessEqual, 40, 41},
    {">", Operator::Greater, 40, 41},   {">=", Operator::GreaterEqual, 40, 41}, {"+", Operator::Add, 50, 51},
    {"-", Operator::Subtract, 50, 51},  {"*", Operator::Multiply, 60, 61},      {"/", Operator::Divide, 60, 61},
    {"^", Operator::Power, 81, 70},
};
constexpr int kUnaryPower = 70;  // tighter than * and /, looser than ^
constexpr int kConditionalPower = 5;

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  SyntaxTree parse() {
    if (token_.kind == Token::Kind::End) throw ExpressionError(0, "the expression is empty");
    tree_.root = expression(0);
    if (token_.kind != Token::Kind::End) {
      throw ExpressionError(token_.column, fmt::format("unexpected '{}' after the end of the expression", token_.text));
    }
    return std::move(tree_);
  }

 private:
  void advance() { token_ = lexer_.next(); }
  bool is(std::string_view symbol) const { return token_.kind == Token::Kind::Symbol && token_.text == symbol; }

  void expect(std::string_view symbol, const char* where) {
    if (!is(symbol)) {
      const std::string found = token_.kind == Token::Kind::End ? "the end" : fmt::format("'{}'", token_.text);
      throw ExpressionError(token_.column, fmt::format("expected '{}' {}, found {}", symbol, where, found));
    }
    advance();
  }

  int add(SyntaxNode node) {
    tree_.nodes.push_back(std::move(node));
    return static_cast<int>(tree_.nodes.size()) - 1;
  }

  int operation(Operator op, int column, std::vector<int> children) {
    SyntaxNode node;
    node.kind = SyntaxNode::Kind::Operation;
    node.op = op;
    node.column = column;
    node.children = std::move(children);
    return add(std::move(node));
  }

  // Everything that binds more tightly than `power`.
  int expression(int power) {
    if (++depth_ > kDeepestExpression) throw ExpressionError(token_.column, "the expression is nested too deeply");
    int left = operand();
    for (;;) {
      if (is("?") && kConditionalPower >= power) {
        left = conditional(left);
        continue;
      }
      const BinaryOperator* found = nullptr;
      for (const BinaryOperator& candidate : kBinary) {
        if (is(candidate.text)) found = &candidate;
      }
      if (found == nullptr || found->left < power) break;
      const int column = token_.column;
      advance();
      const int right = expression(found->right);
      left = operation(found->op, column, {left, right});
    }
    --depth_;
    return left;
  }

  int conditional(int condition) {
    SyntaxNode node;
    node.kind = SyntaxNode::Kind::Conditional;
    node.column = token_.column;
    advance();
    const int yes = expression(0);
    expect(":", "between the two values of '?'");
    const int no = expression(kConditionalPower);
    node.children = {condition, yes, no};
    return add(std::move(node));
  }

  int operand() {
    const Token token = token_;
    if (is("-") || is("!")) {
      advance();
      const int inner = expression(kUnaryPower);
      return operation(token.text == "-" ? Operator::Negate : Operator::Not, token.column, {inner});
    }
    if (is("+")) {
      advance();
      return expression(kUnaryPower);
    }
    if (is("(")) {
      advance();
      const int inner = expression(0);
      expect(")", "to close the parenthesis");
      return inner;
    }
    if (token.kind == Token::Kind::Number) return number(token);
    if (token.kind == Token::Kind::Name) return name(token);
    throw ExpressionError(token.column, token.kind == Token::Kind::End
                                            ? std::string("the expression ends where a value is expected")
                                            : fmt::format("expected a value, found '{}'", token.text));
  }

  int number(const Token& token) {
    advance();
    SyntaxNode node;
    node.column = token.column;
    node.number = token.number;
    if (token_.kind == Token::Kind::Name) {
      std::optional<double> unit;
      for (const Unit& known : units()) {
        if (token_.text == known.name) unit = known.value;
      }
      if (!unit) throw ExpressionError(token_.column, fmt::format("an operator is missing before '{}'", token_.text));
      node.number *= *unit;
      advance();
    }
    return add(std::move(node));
  }

  int name(const Token& token) {
    advance();
    SyntaxNode node;
    node.kind = SyntaxNode::Kind::Name;
    node.text = token.text;
    node.column = token.column;
    if (!is("(")) return add(std::move(node));

    node.kind = SyntaxNode::Kind::Call;
    advance();
    while (!is(")")) {
      node.children.push_back(expression(0));
      if (!is(")")) expect(",", "between the arguments");
    }
    advance();
    return add(std::move(node));
  }

  Lexer lexer_;
  Token token_;
  SyntaxTree tree_;
  int depth_ = 0;
};

}  // namespace

const std::vector<Unit>& units() {
  static const std::vector<Unit> kUnits = {{"deg", std::numbers::pi / 180}, {"rad", 1.0}};
  return kUnits;
}

SyntaxTree parse_expression(std::string_view text) {
  if (text.size() > kLongestExpression) {
    throw ExpressionError(0, fmt::format("an expression may have at most {} characters", kLongestExpression));
  }
  return Parser(text).parse();
}

}  // namespace stickslip::expression
