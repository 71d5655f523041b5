// SPDX-License-Identifier: Apache-2.0
#include "cli/web/server.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <netinet/in.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "cli/web/doorkeeper.h"
#include "cli/web/gate.h"

namespace framegov::web {

namespace {

constexpr const char* kAddress = "127.0.0.1";
constexpr std::size_t kMostBody = 16384;
/// Without a byte from a client, or without one taken by it.
constexpr int kQuietSeconds = 10;
// Everything the page needs is its own; nobody may frame it.
constexpr const char* kPolicy =
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors "
    "'none'; base-uri 'none'; form-action 'none'";

struct Free {
  void operator()(event_base* base) const { event_base_free(base); }
  void operator()(evhttp* http) const { evhttp_free(http); }
  void operator()(event* signal) const { event_free(signal); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

class Site {
 public:
  Site(const ServerSettings& settings, const Runner& run) : settings_(settings), run_(run) {}

  void set_port(int port) { port_ = port; }

  static void on_request(evhttp_request* request, void* site) {
    static_cast<const Site*>(site)->answer(request);
  }

 private:
  void answer(evhttp_request* request) const {
    evkeyvalq* headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "Content-Security-Policy", kPolicy);
    evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
    evhttp_add_header(headers, "Cache-Control", "no-store");
    evhttp_add_header(headers, "Connection", "close");  // as Doorkeeper counts on it
    if (!own_host(header(request, "Host"), port_)) {
      reply(request, HTTP_BADREQUEST, "Bad Host", "open the address that framegov web printed");
      return;
    }
    const char* uri = evhttp_request_get_uri(request);
    const std::string_view path = uri == nullptr ? std::string_view() : uri;
    const auto method = evhttp_request_get_command(request);
    if (path == "/api/run" && method == EVHTTP_REQ_POST) {
      answer_command(request);
    } else if (method == EVHTTP_REQ_GET) {
      answer_file(request, path);
    } else {
      reply(request, HTTP_BADMETHOD, "Method Not Allowed", "");
    }
  }

  void answer_command(evhttp_request* request) const {
    constexpr int kForbidden = 403;
    if (!same_token(header(request, "X-Framegov-Token"), settings_.token)) {
      reply(request, kForbidden, "Forbidden",
            "wrong token: open the address that framegov web printed");
      return;
    }
    evbuffer* body = evhttp_request_get_input_buffer(request);
    const std::size_t size = evbuffer_get_length(body);
    const auto* bytes = reinterpret_cast<const char*>(evbuffer_pullup(body, -1));
    const auto words =
        allowed_words(bytes == nullptr ? std::string_view() : std::string_view(bytes, size));
    if (!words) {
      reply(request, kForbidden, "Forbidden", words.error().message);
      return;
    }
    const auto done = run_(*words);
    const nlohmann::json answer =
        done ? nlohmann::json{{"code", done->code}, {"stdout", done->out}, {"stderr", done->err}}
             : nlohmann::json{{"code", 1}, {"stdout", ""}, {"stderr", done.error().to_string()}};
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
                      "application/json");
    reply(request, HTTP_OK, "OK", json_line(answer));
  }

  void answer_file(evhttp_request* request, std::string_view path) const {
    const auto name = file_of(path);
    std::error_code error;
    if (!name || !std::filesystem::is_regular_file(settings_.webroot / *name, error)) {
      reply(request, HTTP_NOTFOUND, "Not Found", "");
      return;
    }
    const std::string content = read_file(settings_.webroot / *name, {}).value_or("");
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
                      content_type(*name));
    reply(request, HTTP_OK, "OK", content);
  }

  static std::string_view header(evhttp_request* request, const char* name) {
    const char* value = evhttp_find_header(evhttp_request_get_input_headers(request), name);
    return value == nullptr ? std::string_view() : value;
  }

  static void reply(evhttp_request* request, int code, const char* reason,
                    const std::string& text) {
    const std::unique_ptr<evbuffer, decltype(&evbuffer_free)> body(evbuffer_new(), evbuffer_free);
    evbuffer_add(body.get(), text.data(), text.size());
    evhttp_send_reply(request, code, reason, body.get());
  }

  const ServerSettings& settings_;
  const Runner& run_;
  int port_ = 0;
};

int port_of(evhttp_bound_socket* socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ::getsockname(evhttp_bound_socket_get_fd(socket), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

void stop(evutil_socket_t, short, void* base) {
  event_base_loopbreak(static_cast<event_base*>(base));
}

}  // namespace

Status serve(const ServerSettings& settings, const Runner& run,
             const std::function<void(int port)>& on_ready) {
  if (!std::filesystem::exists(settings.webroot / "index.html")) {
    return fail(ExitCode::kBadInput, settings.webroot.string() + ": no page there",
                "--webroot names the folder of index.html");
  }
  const Owned<event_base> base(event_base_new());
  const Owned<evhttp> http(evhttp_new(base.get()));
  Site site(settings, run);
  evhttp_set_gencb(http.get(), Site::on_request, &site);
  evhttp_set_max_body_size(http.get(), kMostBody);
  evhttp_set_max_headers_size(http.get(), kMostBody);
  evhttp_set_allowed_methods(http.get(), EVHTTP_REQ_GET | EVHTTP_REQ_POST);
  evhttp_bound_socket* socket =
      evhttp_bind_socket_with_handle(http.get(), kAddress, static_cast<ev_uint16_t>(settings.port));
  if (socket == nullptr) {
    return fail(ExitCode::kFailure, "port " + std::to_string(settings.port) + " is taken",
                "--port 0 takes a free one");
  }
  evhttp_set_timeout(http.get(), kQuietSeconds);
  site.set_port(port_of(socket));
  const Doorkeeper door(http.get(), socket, port_of(socket), settings.limits);
  std::vector<Owned<event>> signals;
  for (const int number : {SIGINT, SIGTERM}) {
    signals.emplace_back(evsignal_new(base.get(), number, stop, base.get()));
    event_add(signals.back().get(), nullptr);
  }
  on_ready(port_of(socket));
  while (event_base_loop(base.get(), EVLOOP_ONCE) == 0 && event_base_got_break(base.get()) == 0) {
    if (settings.turns != nullptr) {
      settings.turns->fetch_add(1, std::memory_order_relaxed);
    }
  }
  return {};
}

}  // namespace framegov::web
