/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-circular",
      comment: "Modules import downwards only.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      comment: "A browser finds no module that is not in static/.",
      severity: "error",
      from: { path: "^static" },
      to: { couldNotResolve: true },
    },
    {
      name: "only-static",
      comment: "No package is shipped besides the vendored ones.",
      severity: "error",
      from: { path: "^static" },
      to: { pathNot: "^(static/|types\\.d\\.ts$)" },
    },
    {
      name: "no-orphans",
      comment: "Every module is a page's own, or imported by one.",
      severity: "error",
      from: { orphan: true, path: "^static", pathNot: "^static/vendor" },
      to: {},
    },
    {
      name: "pages-are-entries",
      comment: "What a page begins with is imported by nobody.",
      severity: "error",
      from: {},
      to: { path: "^static/(main|nights|replay|statistics|tv)\\.js$" },
    },
  ],
  options: {
    exclude: { path: "node_modules" },
    // Types in comments count too: a cycle of them keeps modules together as one of code does.
    detectJSDocImports: true,
    tsPreCompilationDeps: true,
  },
};
