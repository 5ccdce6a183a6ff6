# Varnish 7 in front of avatar-server. Copy it, set the backend's address and the operators' addresses, and run:
#
#   varnishd -a :80 -f /etc/varnish/varnish.vcl -s malloc,1g
#
# The service's answers carry what remains of their lifetimes, so this file adds none of its own: an avatar is fresh for
# its max-age, served at once and refreshed behind within stale-while-revalidate, and kept for a failing service within
# stale-if-error. Why each rule is here: docs/cdn.md.
vcl 4.1;

import std;

backend default {
  .host = "127.0.0.1";
  .port = "8080";
  .connect_timeout = 1s;
  # The service answers within `requestBudget` (4s); what is later than this will not come.
  .first_byte_timeout = 6s;
  .between_bytes_timeout = 5s;
  .probe = {
    .request = "GET /healthz HTTP/1.1" "Host: avatar-server" "Connection: close";
    .interval = 2s;
    # Generous: a service that is slow for a moment still answers, and one that is gone refuses connections at once.
    .timeout = 2s;
    .window = 8;
    .threshold = 2;
    .initial = 8;
  }
}

# Who may purge.
acl operators {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "PURGE") {
    if (client.ip !~ operators) {
      return (synth(405, "Method Not Allowed"));
    }
    # Every version (?v=) of the avatar's URL at once. On a field of the object, so that the lurker can do the work.
    ban("obj.http.X-Path == " + regsub(req.url, "\?.*$", ""));
    return (synth(204, "Purged"));
  }
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  if (req.restarts == 0) {
    unset req.http.X-Serve;
  }
  # Nothing of the client changes an avatar: what does not arrive cannot split the cache. A client's Cache-Control
  # (`only-if-cached`, `no-cache`) would otherwise reach the service on a miss.
  unset req.http.Cookie;
  unset req.http.Authorization;
  unset req.http.Cache-Control;
  unset req.http.Pragma;
  unset req.http.Accept-Encoding;
  # Of the query only a well-formed ?v= means anything; anything else is a way around the cache.
  if (req.url ~ "^/(avatar/|o/)") {
    if (req.url ~ "[?&]v=[0-9a-f]{16}(&|$)") {
      set req.url = regsub(req.url, "\?(?:.*&)?(v=[0-9a-f]{16})(?:&.*)?$", "?\1");
    } else {
      set req.url = regsub(req.url, "\?.*$", "");
    }
  }
  if (req.http.X-Serve == "fresh") {
    set req.grace = 0s;  # The stale copy's own time is over: wait for the service.
  } else {
    set req.grace = 3650d;  # As long as the object's own; said each time, for it outlives a restart.
  }
  return (hash);
}

sub vcl_hash {
  # Without the host: every name of this service has the same avatars.
  hash_data(req.url);
  return (lookup);
}

sub vcl_hit {
  # Fresh, or within stale-while-revalidate: at once; Varnish refreshes behind.
  if (obj.ttl + std.duration(obj.http.X-Stale-While-Revalidate + "s", 0s) > 0s) {
    return (deliver);
  }
  # Within stale-if-error, and the service has just failed.
  if (req.http.X-Serve == "stale") {
    return (deliver);
  }
  # Within stale-if-error only: ask, all that ask together once, and see.
  set req.http.X-Serve = "fresh";
  return (restart);
}

sub vcl_backend_response {
  if (beresp.status >= 500 && (bereq.is_bgfetch || bereq.http.X-Serve == "fresh")) {
    return (abandon);  # An error never takes the place of a copy that may still serve.
  }
  set beresp.http.X-Path = regsub(bereq.url, "\?.*$", "");
  # What remains, as the service says it: for every status, since remembered failures have a lifetime as well.
  set beresp.ttl = 0s;
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  set beresp.http.X-Stale-While-Revalidate = "0";
  if (beresp.http.Cache-Control !~ "(no-store|private)") {
    if (beresp.http.Cache-Control ~ "max-age=[0-9]+") {
      set beresp.ttl = std.duration(regsub(beresp.http.Cache-Control, "^.*max-age=([0-9]+).*$", "\1") + "s", 0s);
    }
    if (beresp.http.Cache-Control ~ "stale-if-error=[0-9]+") {
      set beresp.grace =
        std.duration(regsub(beresp.http.Cache-Control, "^.*stale-if-error=([0-9]+).*$", "\1") + "s", 0s);
    }
    if (beresp.http.Cache-Control ~ "stale-while-revalidate=[0-9]+") {
      set beresp.http.X-Stale-While-Revalidate =
        regsub(beresp.http.Cache-Control, "^.*stale-while-revalidate=([0-9]+).*$", "\1");
      if (beresp.grace < std.duration(beresp.http.X-Stale-While-Revalidate + "s", 0s)) {
        set beresp.grace = std.duration(beresp.http.X-Stale-While-Revalidate + "s", 0s);
      }
    }
  }
  if (beresp.ttl <= 0s && beresp.grace <= 0s) {
    # Not to be kept. For a moment nobody queues behind another's request for it.
    set beresp.uncacheable = true;
    set beresp.ttl = 10s;
    return (deliver);
  }
  if (beresp.status == 200) {
    set beresp.keep = 1h;  # Too old to serve, still good for a conditional request.
  }
  return (deliver);
}

sub vcl_backend_error {
  if (bereq.is_bgfetch || bereq.http.X-Serve == "fresh") {
    return (abandon);
  }
  call problem_body;
  return (deliver);
}

# An error of this tier in the service's own form.
sub problem_body {
  set beresp.status = 503;
  set beresp.http.Content-Type = "application/problem+json";
  set beresp.http.Cache-Control = "no-store";
  set beresp.http.Retry-After = "1";
  set beresp.http.X-Content-Type-Options = "nosniff";
  set beresp.uncacheable = true;
  set beresp.ttl = 0s;
  synthetic("""{"type":"about:blank","title":"Service Unavailable","status":503,"code":"overloaded"}""");
}

sub vcl_synth {
  if (resp.status == 503 && req.http.X-Serve == "fresh") {
    set req.http.X-Serve = "stale";
    return (restart);
  }
  set resp.http.X-Content-Type-Options = "nosniff";
  set resp.http.Cache-Control = "no-store";
  if (resp.status == 204) {
    return (deliver);
  }
  set resp.http.Content-Type = "application/problem+json";
  if (resp.status == 405) {
    set resp.http.Allow = "GET, HEAD";
    synthetic("""{"type":"about:blank","title":"Method Not Allowed","status":405,"code":"method_not_allowed"}""");
  } else {
    set resp.status = 503;
    set resp.http.Retry-After = "1";
    synthetic("""{"type":"about:blank","title":"Service Unavailable","status":503,"code":"overloaded"}""");
  }
  return (deliver);
}

sub vcl_deliver {
  unset resp.http.X-Path;
  unset resp.http.X-Stale-While-Revalidate;
  unset resp.http.X-Varnish;
  unset resp.http.Via;
  # RFC 9211: one member for each cache, nearest to the origin first.
  if (obj.hits > 0) {
    unset resp.http.Server-Timing;  # It was the first client's.
    set resp.http.Cache-Status = resp.http.Cache-Status + ", varnish; hit";
  } elsif (resp.http.Cache-Status) {
    set resp.http.Cache-Status = resp.http.Cache-Status + ", varnish; fwd=miss";
  }
  return (deliver);
}
