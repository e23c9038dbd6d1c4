import { deflateSync } from 'node:zlib'

/** A PDF with a page for each list of lines, in plain letters. */
export function createPdf(pages: readonly (readonly string[])[], title = ''): Buffer {
  return createPdfFromContents(
    pages.map((lines) => Buffer.from(setLines(lines), 'latin1')),
    title,
  )
}

/** With these content streams, compressed. */
export function createPdfFromContents(contents: readonly Uint8Array[], title = ''): Buffer {
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(
      `<< /Type /Pages /Count ${contents.length} /Kids [${contents.map((_, index) => `${5 + 2 * index} 0 R`).join(' ')}] >>`,
    ),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    Buffer.from(`<< /Title (${title}) >>`),
  ]
  contents.forEach((content, index) => {
    const packed = deflateSync(content)
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + 2 * index} 0 R >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from('\nendstream'),
      ]),
    )
  })
  return assemblePdf(objects)
}

const setLines = (lines: readonly string[]) =>
  `BT /F1 12 Tf 14 TL 72 770 Td ${lines.map((line) => `(${line.replaceAll(/[()\\]/g, '\\$&')}) Tj T*`).join(' ')} ET`

function assemblePdf(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n')]
  const places: number[] = []
  let length = 9
  objects.forEach((object, index) => {
    places.push(length)
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    parts.push(part)
    length += part.length
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
