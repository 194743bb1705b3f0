/** Items in batches of nearly equal size: every epoch all items once, in an order of its own. */

/** @param batchSize items in a batch at most @param orderOf all item numbers, shuffled for an epoch */
export function inEpochs(count: number, batchSize: number, orderOf: (epoch: number) => Int32Array) {
  const batchesPerEpoch = Math.ceil(count / batchSize);
  const edge = (within: number) => Math.floor((within * count) / batchesPerEpoch);
  let current: { epoch: number; order: Int32Array } = { epoch: -1, order: new Int32Array(0) };
  return {
    batchesPerEpoch,
    /** Numbers of the items in a batch, counted from 0 over all epochs. */
    itemsOf(batch: number): Int32Array {
      const epoch = Math.floor(batch / batchesPerEpoch);
      if (current.epoch !== epoch) current = { epoch, order: orderOf(epoch) };
      const within = batch % batchesPerEpoch;
      return current.order.slice(edge(within), edge(within + 1));
    },
  };
}
