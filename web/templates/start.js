/** Says why the page does not start, and offers to load it again. It is ES5 within the HTML: it must
 * also run in browsers that are too old for the page, and when nothing else arrives. */
(function () {
  var PATIENCE_MS = 8000;
  var TICK_MS = 250;
  var PROBE_MS = 3000;
  var started = false;
  var stays = false; // what is wrong stays so, even if the page starts
  var box = null;
  var timer = 0;
  var waitedMs = 0;
  var language = document.documentElement.lang; // a translation changes it

  function texts() {
    return JSON.parse(document.getElementById("start-texts").textContent);
  }

  function stylesheets() {
    return document.querySelectorAll("link[rel=stylesheet]");
  }

  /** Browsers paint nothing while they wait for a stylesheet of the HTML, but do for a script's. */
  function waitForNoStyles() {
    var styles = stylesheets();
    for (var i = 0; i < styles.length; i += 1) {
      if (styles[i].sheet) continue;
      var copy = document.createElement("link");
      copy.rel = "stylesheet";
      copy.onload = tidy;
      copy.href = styles[i].href;
      styles[i].parentNode.replaceChild(copy, styles[i]);
    }
  }

  function isStyled() {
    var styles = stylesheets();
    for (var i = 0; i < styles.length; i += 1) if (!styles[i].sheet) return false;
    return true;
  }

  /** Takes the message back once the page works and has its styles. */
  function tidy() {
    if (!started || stays || !box || !isStyled()) return;
    box.parentNode.removeChild(box);
    box = null;
  }

  function fill(message, places) {
    return message.replace(/\{(\w+)\}/g, function (_, place) {
      return places[place];
    });
  }

  /** An element with this text, in a style that needs no stylesheet. */
  function add(parent, name, content, style) {
    var made = document.createElement(name);
    made.textContent = content;
    made.style.cssText = style;
    parent.appendChild(made);
    return made;
  }

  /** Shows the reason over the page, so that nothing moves. */
  function show(name, places) {
    if (started) return;
    var words = texts();
    waitForNoStyles();
    if (box) box.parentNode.removeChild(box);
    box = add(
      document.documentElement, // there may be no body yet
      "div",
      "",
      "position:fixed;z-index:99;top:12px;left:12px;right:12px;max-width:34rem;margin:0 auto;" +
        "padding:16px;border-radius:12px;background:#fff8e6;color:#221a0c;" +
        "font:16px/1.45 system-ui,sans-serif;box-shadow:0 4px 24px rgba(0,0,0,.45)"
    );
    box.id = "not-started";
    box.setAttribute("role", "alert");
    add(box, "strong", words["start.title"], "display:block");
    add(box, "p", fill(words[name], places || {}), "margin:8px 0 12px;overflow-wrap:anywhere");
    add(
      box,
      "button",
      words["start.reload"],
      "min-height:44px;padding:0 20px;border:0;border-radius:8px;background:#1d5b43;color:#fff;" +
        "font:inherit;cursor:pointer"
    ).onclick = function () {
      location.reload();
    };
  }

  /** Whether a file is one of the page's. Extensions and proxies add their own. */
  function isOurs(address) {
    var origin = location.protocol + "//" + location.host + "/";
    return String(address).indexOf(origin) === 0 && address.indexOf("/static/") > 0;
  }

  function needsModules() {
    return [].some.call(document.querySelectorAll("script[type=module]"), function (script) {
      return isOurs(script.src);
    });
  }

  /** What the page is made of, and the address of its state. */
  function addresses() {
    var parts = document.querySelectorAll("link[rel=stylesheet], link[rel=modulepreload], script[src]");
    var files = [];
    for (var i = 0; i < parts.length; i += 1) files.push(parts[i].href || parts[i].src);
    files = files.filter(isOurs);
    var root = files.length && files[0].slice(0, files[0].lastIndexOf("static/"));
    return files.length ? files.concat(root + "api/state?lang=" + language) : files;
  }

  /** The reason in an answer of the daemon; those of others are no JSON. */
  function messageIn(answer) {
    try {
      return JSON.parse(answer).message;
    } catch (error) {
      return null;
    }
  }

  /** Asks for each address, and tells the first that has no good answer. */
  function probe(left) {
    var address = left.shift();
    if (started || !address) return;
    var shown = address.split("?")[0];
    var request = new XMLHttpRequest();
    request.open("GET", address);
    request.timeout = PROBE_MS;
    request.onload = function () {
      var status = request.status;
      var message = messageIn(request.responseText);
      var known = { 403: "start.forbidden", 404: "start.not_found", 421: "start.forbidden" };
      if (status < 400) return probe(left);
      if (message) show("start.refused", { message: message });
      else show(known[status] || "start.status", { address: shown, status: status });
    };
    request.onerror = request.ontimeout = function () {
      show("start.lost", { address: shown });
    };
    request.send();
  }

  /** The first reason is shown, and then what the probes find. */
  function fail(name, places) {
    if (started || box) return;
    clearTimeout(timer);
    show(name, places);
    if (name !== "start.old") probe(addresses());
  }

  function wait() {
    clearTimeout(timer);
    waitedMs = 0;
    if (!document.hidden) timer = setTimeout(tick, TICK_MS);
  }

  /** Counts only time in which the page could run: while a device sleeps, no tick comes. */
  function tick() {
    waitedMs += TICK_MS;
    if (waitedMs >= PATIENCE_MS) fail("start.slow");
    else timer = setTimeout(tick, TICK_MS);
  }

  /** A file that the page needs is lost, or a module has an error. */
  function complain(event) {
    var part = event.target;
    var isStyle = part.rel === "stylesheet";
    var lost = isStyle ? part.href : part.src;
    if (!isOurs(lost || event.filename)) return;
    stays = stays || isStyle;
    if (lost) fail("start.lost", { address: lost });
    else fail("start.error", { message: event.message });
  }

  addEventListener("error", complain, true);
  document.addEventListener("started", begin);
  document.addEventListener("visibilitychange", wait);
  function begin() {
    started = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", wait);
    document.removeEventListener("started", begin);
    tidy();
  }
  // When the HTML is there; `DOMContentLoaded` would wait for the modules.
  document.addEventListener("readystatechange", function () {
    if (!document.querySelector("body > noscript")) fail("start.lost", { address: location.href });
    else if (!needsModules()) begin();
    else if (!("noModule" in document.createElement("script")) || ![].at) {
      stays = true;
      fail("start.old");
    }
  });
  wait();
})();
