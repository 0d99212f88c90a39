// Colours that stand for numbers: one ramp from 0 upwards, and two that have 0 in their middle.

/** @typedef {[number, number, number]} Rgb */
/** @typedef {{ ramp: Uint8ClampedArray, masked: Rgb }} Colours of a map, and of the cells that a mask hides in it */

const SIZE = 256;

/** Viridis (van der Walt and Smith 2015): perceptually even, readable without colour vision. */
const VIRIDIS = ['440154', '472d7b', '3b528b', '2c728e', '21918c', '28ae80', '5ec962', 'addc30', 'fde725'].map((hex) =>
  [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16))
);

/** @param {number} share */
function viridisAt(share) {
  const place = share * (VIRIDIS.length - 1);
  const from = Math.min(Math.floor(place), VIRIDIS.length - 2);
  return VIRIDIS[from].map((low, channel) => low + (VIRIDIS[from + 1][channel] - low) * (place - from));
}

/**
 * Blue below 0 and orange above, which everybody can tell apart. Both arms have the same lightness and chroma at the
 * same distance from 0, and 0 itself has no colour: it lies near the ground that the map stands on.
 */
const ZERO = { light: 0.97, dark: 0.25 };
const END = { light: 0.47, dark: 0.8 };
const CHROMA = { light: 0.122, dark: 0.1 };
const HUES = { below: 252, above: 52 };

/** @param {'light' | 'dark'} ground @param {number} share */
function divergingAt(ground, share) {
  const distance = Math.abs(2 * share - 1);
  const lightness = ZERO[ground] + (END[ground] - ZERO[ground]) * distance;
  const chroma = CHROMA[ground] * distance * (2 - distance);
  return fromOklch(lightness, chroma, share < 0.5 ? HUES.below : HUES.above);
}

/**
 * Red, green and blue from 0 to 255 of a colour of OKLab (Ottosson 2020), in which equal distances look equal.
 * @param {number} lightness @param {number} chroma @param {number} hue in degrees
 */
function fromOklch(lightness, chroma, hue) {
  const [a, b] = [Math.cos, Math.sin].map((turn) => chroma * turn((hue * Math.PI) / 180));
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short
  ].map((light) => 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
}

/** 256 colours as RGBA bytes in the order that ImageData has. @param {(share: number) => number[]} at */
function rampOf(at) {
  const ramp = new Uint8ClampedArray(SIZE * 4);
  for (let index = 0; index < SIZE; index += 1) ramp.set([...at(index / (SIZE - 1)), 255], index * 4);
  return ramp;
}

const ramps = {
  rising: rampOf(viridisAt),
  light: rampOf((share) => divergingAt('light', share)),
  dark: rampOf((share) => divergingAt('dark', share))
};

/**
 * A scale that has numbers below 0 gets a ramp with 0 in its middle, for the ground that the masked cells' grey belongs
 * to.
 * @param {{ low: number }} scale @param {Rgb} masked
 * @returns {Colours}
 */
export const coloursOf = ({ low }, masked) => ({
  ramp: low < 0 ? ramps[luminance(masked) < MIDDLE ? 'dark' : 'light'] : ramps.rising,
  masked
});

/** Byte offset in a ramp of a share from 0 to 1. @param {number} share */
export const colourAt = (share) => Math.max(0, Math.min(SIZE - 1, Math.round(share * (SIZE - 1)))) * 4;

/** Luminance from which black is easier to read than white: both have a contrast of 4.58 there. */
const MIDDLE = Math.sqrt(1.05 * 0.05) - 0.05;

/** The colour of a text on a ground. @param {ArrayLike<number>} ground red, green and blue */
export const inkOn = (ground) => (luminance(ground) > MIDDLE ? '#000' : '#fff');

/** As WCAG defines it. @param {ArrayLike<number>} colour */
function luminance(colour) {
  const [red, green, blue] = [0, 1, 2].map((channel) => {
    const part = colour[channel] / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
