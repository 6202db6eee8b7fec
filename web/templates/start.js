/* Says why the page does not start: which of its files is lost, or has an error. It is within the HTML, so
 * that no lost file can silence it, and in ES5, for browsers that are too old for the page. */
(function () {
  var problems = [];

  function show() {
    var box = document.getElementById("not-started");
    if (!box || !problems.length) return;
    box.hidden = false;
    box.getElementsByTagName("code")[0].textContent = problems.join(", ");
  }

  function complain(event) {
    var lost = event.target.src || event.target.href;
    var file = lost || event.filename || "";
    var isOurs = file.indexOf(location.protocol + "//" + location.host + "/") === 0;
    if (!isOurs || file.indexOf("/static/") < 0) return; // extensions and proxies add their own
    if (!lost && !document.querySelector(".undrawn")) return; // it has started
    problems.push(lost ? file.slice(file.lastIndexOf("/") + 1) : event.message);
    show();
  }

  if (!("noModule" in document.createElement("script"))) problems.push("JavaScript modules");
  addEventListener("error", complain, true);
  document.addEventListener("DOMContentLoaded", show);
})();
