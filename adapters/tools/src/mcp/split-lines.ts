/** Puts chunks of bytes together to lines; throws once a line grows longer than it may be. */
export function splitLines(longest: number, onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let length = 0

  const add = (part: Buffer) => {
    length += part.length
    if (length > longest) {
      parts = []
      throw new RangeError(`a message of more than ${longest} bytes`)
    }
    parts.push(part)
  }

  return (chunk) => {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      add(rest.subarray(0, end))
      const line = Buffer.concat(parts, length).toString('utf8')
      parts = []
      length = 0
      rest = rest.subarray(end + 1)
      onLine(line)
    }
    if (rest.length > 0) add(rest)
  }
}

const NEWLINE = 0x0a
