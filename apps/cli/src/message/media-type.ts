/** What a file is that a model can look at, by how it begins; undefined for every other one. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')
  return BEGINNINGS.find(({ pattern }) => pattern.test(head))?.mediaType
}

/** How many bytes are enough to tell. */
export const HEAD_BYTES = 16

const BEGINNINGS = [
  { mediaType: 'image/png', pattern: /^\x89PNG\r\n/ },
  { mediaType: 'image/jpeg', pattern: /^\xff\xd8\xff/ },
  { mediaType: 'image/gif', pattern: /^GIF8[79]a/ },
  { mediaType: 'image/webp', pattern: /^RIFF[^]{4}WEBP/ },
  { mediaType: 'application/pdf', pattern: /^%PDF-\d/ },
]
