// Importing attnscope/element defines <attnscope-calculator>; without a DOM it does nothing.

import type { Config, Estimate } from 'attnscope';

type Names<Configs> = Configs extends unknown ? keyof Configs : never;
type Values<Configs, Name> = Configs extends unknown ? (Name extends keyof Configs ? Configs[Name] : never) : never;

/** Every field of every layer. Setting one to undefined gives its default; one that the layer has not is read as undefined. */
export type AttnscopeCalculatorFields = { [Name in Names<Config>]?: Values<Config, Name> | undefined };

export interface AttnscopeCalculatorEventMap extends HTMLElementEventMap {
  /** Sent once at the start, and whenever the estimate is another. */
  change: CustomEvent<Estimate>;
}

/** What was set last wins: attribute, property, or what the visitor entered. */
export interface AttnscopeCalculator extends HTMLElement, AttnscopeCalculatorFields {
  /** Of the tensors and parameters that *Run it* draws. */
  seed: number | undefined;
  /** The last valid configuration, whole. Fields that are left out in setting it go to their defaults. Null until the module is open. */
  get config(): Config | null;
  set config(config: Config | null | undefined);
  /** Which parts it has: words such as `answer` and `steps`, with spaces between. Null for all. */
  panels: string | null;
  /** Whether *Cost*, *Tensors*, *Compare* and *PyTorch* share a row of tabs. */
  tabs: boolean;
  /** The last valid estimate; null until the module is open. */
  readonly estimate: Estimate | null;
  addEventListener<Type extends keyof AttnscopeCalculatorEventMap>(
    type: Type,
    listener: (this: AttnscopeCalculator, event: AttnscopeCalculatorEventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions
  ): void;
  removeEventListener<Type extends keyof AttnscopeCalculatorEventMap>(
    type: Type,
    listener: (this: AttnscopeCalculator, event: AttnscopeCalculatorEventMap[Type]) => unknown,
    options?: boolean | EventListenerOptions
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'attnscope-calculator': AttnscopeCalculator;
  }
}
