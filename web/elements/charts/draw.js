// The drawings of the calculator, which load when they are nearly seen: Observable Plot is most of what they take.

export { drawAlternatives } from './dots.js';
export { drawGrowth } from './curves.js';
