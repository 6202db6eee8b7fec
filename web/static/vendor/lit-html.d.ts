// The few names of lit-html that the page imports.
export interface TemplateResult {
  readonly strings: TemplateStringsArray;
}
export declare const nothing: unique symbol;
export declare function html(strings: TemplateStringsArray, ...values: unknown[]): TemplateResult;
export declare function svg(strings: TemplateStringsArray, ...values: unknown[]): TemplateResult;
export declare function render(value: unknown, container: HTMLElement | SVGElement): unknown;
