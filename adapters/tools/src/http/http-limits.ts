export interface HttpLimits {
  /** To find a host's addresses, to connect and to agree on a cipher. */
  readonly connectMs: number
  /** From the request's last byte to the end of the answer's headers. */
  readonly headersMs: number
  readonly wholeMs: number
  /** As it is once decompressed. */
  readonly textBytes: number
  readonly mediaBytes: number
}

export const HTTP_LIMITS: HttpLimits = {
  connectMs: 10_000,
  headersMs: 15_000,
  wholeMs: 30_000,
  textBytes: 2_000_000,
  mediaBytes: 5_000_000,
}
