import { createZip, type ZipFile } from './create-zip.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A Word document with these paragraphs; one that begins with "# " is a heading. */
export function createDocx(paragraphs: readonly string[], more: readonly ZipFile[] = []): Buffer {
  return createZip([...createDocxFiles(paragraphs.map(createParagraph).join('')), ...more])
}

/** With this Word XML in its body. */
export function createDocxFiles(body: string): readonly ZipFile[] {
  return [
    {
      name: '[Content_Types].xml',
      data: `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      data: `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: 'word/styles.xml',
      data: `${HEAD}<w:styles ${WORD}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    },
    {
      name: 'word/_rels/document.xml.rels',
      data: `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    },
    { name: 'word/document.xml', data: `${HEAD}<w:document ${WORD}><w:body>${body}</w:body></w:document>` },
  ]
}

function createParagraph(text: string): string {
  const isHeading = text.startsWith('# ')
  const style = isHeading ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : ''
  const words = text.replace(/^# /, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<w:p>${style}<w:r><w:t xml:space="preserve">${words}</w:t></w:r></w:p>`
}
