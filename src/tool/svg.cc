// SPDX-License-Identifier: Apache-2.0
#include "tool/svg.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "tool/text.h"

namespace portacl::tool {
namespace {

constexpr Colour kText = {40, 40, 48};

std::string Hex(Colour colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue); }

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

void Svg::Fill(int left, int top, int width, int height, const std::vector<Colour>& cells) {
  for (size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    while (end < cells.size() && cells[end] == cells[begin]) ++end;
    if (cells[begin] == kBackground) continue;
    AddLine(left + static_cast<int>(begin) * width, top, static_cast<int>(end - begin) * width, height, cells[begin]);
  }
}

// A line as thick as the rectangle's height needs fewer characters than four corners.
void Svg::AddLine(int left, int top, int width, int height, Colour colour) {
  Path& path = paths_[{colour, height}];
  if (path.commands.empty()) {
    path.commands = fmt::format("M{} {:g}", left, top + height / 2.0);
  } else if (path.top != top || path.x != left) {
    path.commands += fmt::format("m{}{}{}", left - path.x, top < path.top ? "" : " ", top - path.top);
  }
  path.commands += fmt::format("h{}", width);
  path.x = left + width;
  path.top = top;
}

void Svg::Write(int x, int top, std::string_view text, bool ends_at_x) {
  texts_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", x, top + kTextHeight,
                        ends_at_x ? " text-anchor=\"end\"" : "", Escaped(text));
}

void Svg::Save(const std::string& path) const {
  std::ofstream file(path);
  file << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"{2}\"/>\n<g fill=\"none\" shape-rendering=\"crispEdges\">\n",
      width_, height_, Hex(kBackground));
  for (const auto& [key, drawn] : paths_) {
    const auto& [colour, height] = key;
    file << fmt::format("<path stroke=\"{}\" stroke-width=\"{}\" d=\"{}\"/>\n", Hex(colour), height, drawn.commands);
  }
  file << fmt::format(
      "</g>\n<g fill=\"{}\" font-family=\"sans-serif\" font-size=\"20\" xml:space=\"preserve\">\n{}</g>\n</svg>\n",
      Hex(kText), texts_);
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: {}", path, std::strerror(errno)));
}

}  // namespace portacl::tool
