// How many random cases PyTorch judges: all of them, and those of `npm test`.

export const COUNTS = {
  all: {
    configs: 100, // of a layer, and of each cell of a recurrent layer; more where its options have more values
    between: 5, // of them: every tensor between the steps is written
    packed: 3, // of them: the weights are written as a file too, as the training page does
    variants: 12, // of a family
    checkpoints: 12, // of a family, besides those that are named
    peers: 50, // of each
    decodings: 150
  },
  gate: { configs: 8, between: 1, packed: 1, variants: 2, checkpoints: 2, peers: 4, decodings: 16 }
};
