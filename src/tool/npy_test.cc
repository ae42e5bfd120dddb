// SPDX-License-Identifier: Apache-2.0
#include "tool/npy.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tool/npy_writer.h"

namespace npy {
namespace {

// A version 1 file.
std::string File(const std::string& header, const std::string& data) {
  std::string text = header + "\n";
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(text.size() & 255) + static_cast<char>(text.size() >> 8) +
         text + data;
}

std::string Described(const std::string& descr, const std::string& shape, const std::string& data,
                      const std::string& fortran = "False") {
  return File("{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }", data);
}

Array Parse(const std::string& content) {
  std::istringstream stream(content);
  return Read(stream);
}

std::string Problem(const std::string& content) {
  try {
    Parse(content);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

std::string Data(const Array& array) { return {array.bytes.begin(), array.bytes.end()}; }

TEST(Npy, ReadsEveryElementType) {
  for (const auto& [descr, type, bytes] :
       {std::tuple("<f2", "f2", 2), std::tuple("<f4", "f4", 4), std::tuple("<f8", "f8", 8), std::tuple("|b1", "b1", 1),
        std::tuple("|u1", "u1", 1), std::tuple("<u2", "u2", 2), std::tuple("<u4", "u4", 4), std::tuple("<u8", "u8", 8),
        std::tuple("|i1", "i1", 1), std::tuple("<i2", "i2", 2), std::tuple("<i4", "i4", 4), std::tuple("<i8", "i8", 8),
        std::tuple("<c8", "c8", 8), std::tuple("<c16", "c16", 16)}) {
    const std::string data(static_cast<size_t>(6 * bytes), '\1');
    const Array array = Parse(Described(descr, "(2, 3)", data));
    EXPECT_EQ(array.type, type);
    EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(Data(array), data);
  }
}

TEST(Npy, ReadsTheHeaderOfNumPyAndOfLaterVersions) {
  const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (), }                    \n";
  std::string file =
      std::string("\x93NUMPY\2\0", 8) + static_cast<char>(header.size()) + std::string(3, '\0') + header + "abcd";
  EXPECT_EQ(Data(Parse(file)), "abcd");
  file[6] = 3;
  EXPECT_EQ(Data(Parse(file)), "abcd");
  file[6] = 4;
  EXPECT_EQ(Problem(file), "expected version 1, 2 or 3 of the .npy format, got 4");
}

TEST(Npy, TurnsColumnMajorIntoRowMajor) {
  EXPECT_EQ(Data(Parse(Described("|u1", "(2, 3)", "adbecf", "True"))), "abcdef");
  // Element (i, j, k) is the letter 6 i + 2 j + k.
  EXPECT_EQ(Data(Parse(Described("|u1", "(2, 3, 2)", "agciekbhdjfl", "True"))), "abcdefghijkl");
}

TEST(Npy, TurnsBigEndianIntoLittleEndian) {
  EXPECT_EQ(Data(Parse(Described(">i4", "(2,)", "dcbahgfe"))), "abcdefgh");
  EXPECT_EQ(Data(Parse(Described(">f2", "(1,)", "ba"))), "ab");
  EXPECT_EQ(Data(Parse(Described(">c8", "(1,)", "dcbahgfe"))), "abcdefgh") << "each part of a number by itself";
}

TEST(Npy, ReadsArraysWithoutElements) {
  EXPECT_EQ(Parse(Described("<f4", "(0, 5)", "")).shape, (std::vector<int64_t>{0, 5}));
}

TEST(Npy, RefusesEveryTruncatedFile) {
  const std::string whole = Described("<f4", "(2, 3)", std::string(24, 'x'));
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(Problem(whole.substr(0, length)), "none") << length;
  EXPECT_EQ(Problem(whole.substr(0, whole.size() - 1)), "the data is truncated");
}

TEST(Npy, RefusesAFileThatGoesOn) {
  EXPECT_EQ(Problem(Described("<f4", "(1,)", "12345")), "there are bytes after the data");
}

// None of these may allocate memory according to the sizes in its header.
TEST(Npy, RefusesHostileHeaders) {
  EXPECT_EQ(Problem(Described("<f4", "(4611686018427387904, 4)", "")), "the data is truncated");
  EXPECT_EQ(Problem(Described("<f4", "(99999999999999999999,)", "")), "a dimension is too large");
  EXPECT_EQ(Problem(Described("<f4", "(0, 4611686018427387904, 8)", "")), "a dimension is too large");
  EXPECT_EQ(Problem(Described("<f4", "(1099511627776,)", "1234")), "the data is truncated");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_EQ(Problem(Described("<f4", many + ")", "1234")), "more than 64 dimensions");
  EXPECT_EQ(Problem(std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12)), "the header is truncated");
  EXPECT_EQ(Problem(std::string("\x93NUMPY\2\0\1\0\1\0", 12) + std::string(70000, ' ')),
            "the header is longer than 64 KiB");
}

TEST(Npy, RefusesHeadersThatAreNotTheDictionary) {
  const std::string broken = "expected a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}";
  for (const char* header :
       {"", "{", "{'descr'", "{'descr': ", "{'descr': '<f4'", "{'descr': '<f4', 'shape': (1", "{'shape': (-1,)}",
        "{'shape': 3}", "{'shape': (1 2)}", "{'fortran_order': 1}", "{'descr': [('a', '<f4')]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} and more"}) {
    EXPECT_EQ(Problem(File(header, "1234")), broken) << header;
  }
  EXPECT_EQ(Problem(File("{}", "")), "the header lacks 'descr', 'fortran_order' or 'shape'");
  EXPECT_EQ(Problem(File("{'shape': (1,), 'shape': (1,)}", "")), "the header has an unexpected key 'shape'");
  EXPECT_EQ(Problem(File("{'colour': 'red'}", "")), "the header has an unexpected key 'colour'");
}

TEST(Npy, RefusesOtherElementTypes) {
  for (const char* descr : {"", "<", "<c4", "<f16", "<M8[ns]", "|O", "|V2", "?f4", "<f4 "}) {
    EXPECT_NE(Problem(Described(descr, "(1,)", "1234")).find("expected a float"), std::string::npos) << descr;
  }
}

TEST(Npy, ReadsWhatItWrites) {
  const std::string path = ::testing::TempDir() + "/round_trip.npy";
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, {6}, {2, 3}, {0}, {3, 0, 2}}) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    Array array{"f4", shape, std::vector<unsigned char>(static_cast<size_t>(4 * count), 7)};
    Write(path, array);
    const Array read = Read(path);
    EXPECT_EQ(read.shape, shape);
    EXPECT_EQ(read.bytes, array.bytes);
  }
}

TEST(Npy, SaysWhatTheSystemSays) {
  const auto problem = [](auto action) -> std::string {
    try {
      action();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(problem([] { Read(std::string("/no/such/file.npy")); }), "No such file or directory");
  EXPECT_EQ(problem([] { Write("/no/such/folder/file.npy", {"f4", {}, {1, 2, 3, 4}}); }), "No such file or directory");
  EXPECT_EQ(problem([] { Write("/dev/full", {"f4", {}, {1, 2, 3, 4}}); }), "No space left on device");
}

}  // namespace
}  // namespace npy
