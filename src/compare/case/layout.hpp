// Scalars and structs by value: what the case says about them, and the parameter's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/case/expression.hpp"
#include "compare/case/job.hpp"

namespace tare::compare {

/// A value as the case writes it, not yet converted to its type.
struct Literal {
  enum class Kind : std::uint8_t { integer, real, boolean, expression, bits, list } kind = Kind::integer;
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::string text;  // an expression, or hexadecimal digits with 0x
  std::vector<Literal> list;
  int line = 0;
};

/// One member of a struct.
struct Field {
  std::string name;
  ElementType element;
  std::size_t count = 1;      // > 1: a member array
  std::size_t alignment = 0;  // asked for beyond the type's own; 0: none
  std::vector<Field> fields;  // of a nested struct
  std::optional<Literal> value;
  std::size_t offset = 0;  // from the start of the struct that holds it
  int line = 0;
};

/// Places the fields by C's rules (each at the next multiple of its alignment, the whole a multiple of the
/// largest) and returns the struct as an element: lanes of one kind where the fields are that and leave no
/// padding, else an aggregate. `alignment` is what the case asks for the whole, 0 for none.
ElementType lay_out(std::vector<Field>& fields, std::size_t alignment, const std::string& name);

/// The bytes of one value of `element`: a number for each lane, or one number for all of them. Converts
/// exactly or refuses: integers by range, whole numbers in floating types by precision; decimal fractions
/// are rounded once, to nearest even. Throws Complaint.
std::vector<std::byte> encode(const Literal& literal, const ElementType& element, const ValueOf& value_of);

/// The bytes of a struct: fields that have no value and all padding are 0. Throws CaseError at a field's
/// line.
std::vector<std::byte> encode_struct(const std::vector<Field>& fields, const ElementType& element,
                                     const std::string& file, const ValueOf& value_of);

}  // namespace tare::compare
