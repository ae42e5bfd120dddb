// SPDX-License-Identifier: Apache-2.0
#include "hccl/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/environment.h"
#include "base/file_text.h"

namespace portacl::hccl {
namespace {

constexpr uint16_t kPortsFromBase = 32;

std::string TextOf(Variable variable) {
  const char* const text = VariableText(variable);
  return text == nullptr ? "" : text;
}

// Whether the name is in a list of names or prefixes; a leading ^ inverts the result, = compares whole names: eth,
// =eth0, ^docker, ^=lo.
bool MatchesList(std::string_view list, std::string_view name) {
  const bool is_inverted = list.starts_with('^');
  if (is_inverted) list.remove_prefix(1);
  const bool is_whole = list.starts_with('=');
  if (is_whole) list.remove_prefix(1);
  bool found = false;
  for (;;) {
    const size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    found |= !word.empty() && (is_whole ? name == word : name.starts_with(word));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return found != is_inverted;
}

bool ComesBefore(std::string_view a, std::string_view b) {
  const auto place = [](std::string_view name) {
    return name.starts_with("lo") ? 2 : name.starts_with("docker") ? 1 : 0;
  };
  return place(a) != place(b) ? place(a) < place(b) : a < b;
}

std::vector<Interface> OwnInterfaces() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  std::vector<Interface> found;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    char text[INET6_ADDRSTRLEN] = {};
    if (each->ifa_addr->sa_family == AF_INET) {
      inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, text, sizeof(text));
      found.push_back({each->ifa_name, text, false});
    } else if (each->ifa_addr->sa_family == AF_INET6) {
      const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr;
      if (IN6_IS_ADDR_LINKLOCAL(&address)) continue;  // is not valid on another host
      inet_ntop(AF_INET6, &address, text, sizeof(text));
      found.push_back({each->ifa_name, text, true});
    }
  }
  freeifaddrs(list);
  return found;
}

}  // namespace

std::string ChooseAddress(const AddressWishes& wishes, const std::vector<Interface>& interfaces, std::string* why) {
  if (!wishes.address.empty()) {
    in6_addr unused;
    if (inet_pton(AF_INET, wishes.address.c_str(), &unused) == 1 ||
        inet_pton(AF_INET6, wishes.address.c_str(), &unused) == 1)
      return wishes.address;
    *why = fmt::format("HCCL_IF_IP: expected an address, got '{}'", wishes.address);
    return {};
  }
  for (const bool is_v6 : {false, true}) {
    if (wishes.family == (is_v6 ? "AF_INET" : "AF_INET6")) continue;
    const Interface* first = nullptr;
    for (const Interface& each : interfaces) {
      const bool is_allowed =
          each.is_v6 == is_v6 && (wishes.interfaces.empty() || MatchesList(wishes.interfaces, each.name));
      if (is_allowed && (first == nullptr || ComesBefore(each.name, first->name))) first = &each;
    }
    if (first != nullptr) return first->address;
  }
  *why =
      fmt::format("no network interface has an address that HCCL_SOCKET_IFNAME='{}' and HCCL_SOCKET_FAMILY='{}' allow",
                  wishes.interfaces, wishes.family);
  return {};
}

std::string OwnAddress(std::string* why) {
  return ChooseAddress(
      {TextOf(Variable::kHcclIfIp), TextOf(Variable::kHcclSocketIfname), TextOf(Variable::kHcclSocketFamily)},
      OwnInterfaces(), why);
}

bool AddressIsGiven() {
  return VariableText(Variable::kHcclIfIp) != nullptr || VariableText(Variable::kHcclSocketIfname) != nullptr;
}

std::string LoopbackAddress() { return TextOf(Variable::kHcclSocketFamily) == "AF_INET6" ? "::1" : "127.0.0.1"; }

std::string HostName() {
  char boot[40] = {};
  char network[64] = {};
  ReadFileText("/proc/sys/kernel/random/boot_id", boot);
  if (readlink("/proc/self/ns/net", network, sizeof(network) - 1) < 0) network[0] = '\0';
  return fmt::format("{} {}", std::string_view(boot, strcspn(boot, "\n")), network);
}

PortRange RootPorts() {
  const char* const text = VariableText(Variable::kHcclPortRange);
  if (text != nullptr && std::strcmp(text, "auto") != 0) {
    unsigned first = 0;
    unsigned last = 0;
    const int numbers = std::sscanf(text, "%u-%u", &first, &last);
    if (numbers == 1) last = first;
    if (numbers >= 1 && first >= 1 && first <= last && last <= 65535)
      return {static_cast<uint16_t>(first), static_cast<uint16_t>(last)};
    RejectVariable(Variable::kHcclPortRange, "auto or a range of ports");
  } else if (text == nullptr) {
    const auto base = static_cast<uint16_t>(VariableInteger(Variable::kHcclIfBasePort, 1024, 65504, 0));
    if (base != 0) return {base, static_cast<uint16_t>(base + kPortsFromBase - 1)};
  }
  return {};
}

}  // namespace portacl::hccl
