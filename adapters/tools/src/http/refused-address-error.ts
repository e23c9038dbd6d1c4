/** The guard does not let a request go there. Its message says why, for the model and the person to read. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError'
}
