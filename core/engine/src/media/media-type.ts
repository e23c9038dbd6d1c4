/** The media type of a picture or PDF that models can read, by its first bytes. */
export function detectMediaType(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, MEDIA_HEAD_BYTES))
  return SIGNATURES.find(([pattern]) => pattern.test(head))?.[1]
}

/** The number of bytes that `detectMediaType` reads. */
export const MEDIA_HEAD_BYTES = 12

/** Whether models can read this media type. */
export const isModelMedia = (mediaType: string): boolean =>
  SIGNATURES.some(([, known]) => known === mediaType)

const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  // oxlint-disable-next-line no-control-regex -- the signature has a control character
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^%PDF-/, 'application/pdf'],
]
