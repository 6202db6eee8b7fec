import js from "@eslint/js";
import lit from "eslint-plugin-lit";
import globals from "globals";

export default [
  { ignores: ["static/vendor/"] },
  js.configs.recommended,
  lit.configs["flat/recommended"],
  {
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "consistent-return": "off", // TypeScript checks it where it matters
      complexity: ["error", 12],
      eqeqeq: "error",
      "max-depth": ["error", 3],
      // A sentence is one literal, however long, so that one finds it.
      "max-len": ["error", { code: 100, ignorePattern: '^import |^ +(\\? |: )?"[^"]*",?$' }],
      "max-params": ["error", 5],
      "no-implicit-coercion": ["error", { allow: ["+"] }],
      "no-nested-ternary": "error",
      "no-param-reassign": "error",
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-unneeded-ternary": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      // State lives in the function that changes it, not in the module.
      "no-restricted-syntax": [
        "error",
        {
          selector: ":matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind='let']",
          message: "A module holds no state.",
        },
        {
          selector: "ConditionalExpression TaggedTemplateExpression ConditionalExpression",
          message: "Name the inner template, or write a function for it.",
        },
      ],
    },
  },
  {
    files: ["static/**/*.js"],
    rules: {
      "no-console": "error",
      // tsconfig.json limits the language to ES2022. These are newer than the oldest browsers that
      // README.md names, or exist in secure contexts only.
      "no-restricted-properties": [
        "error",
        ...["checkVisibility", "randomUUID", "requestIdleCallback", "showPopover", "locks"].map(
          (property) => ({ property }),
        ),
        { object: "AbortSignal", property: "any" },
        { object: "AbortSignal", property: "timeout" },
      ],
    },
  },
  {
    // It also runs in browsers that are too old for the page.
    files: ["templates/start.js"],
    languageOptions: { ecmaVersion: 5, sourceType: "script" },
    rules: {
      "max-len": ["error", { code: 110 }],
      "no-unused-vars": "off",
      "no-var": "off",
      "object-shorthand": "off",
      "prefer-template": "off",
    },
  },
  {
    files: ["tests/**/*.js", "*.js", "*.cjs"],
    languageOptions: { globals: globals.node },
  },
];
