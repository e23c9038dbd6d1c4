const READ = 'text, Markdown, HTML, PDF, .docx, subtitles (.vtt, .srt) and chat exports'

const BY_TYPE: ReadonlyMap<string, string> = new Map([
  ['application/rtf', 'RTF is not read: save it as .docx or .txt.'],
  ['application/vnd.oasis.opendocument.text', 'OpenDocument is not read: save it as .docx or .txt.'],
  ['application/msword', 'Word’s old format is not read: save it as .docx or .txt.'],
  ['application/vnd.apple.pages', 'Pages is not read: export it as .docx or .pdf.'],
  ['application/epub+zip', 'EPUB is not read: save it as .txt or .pdf.'],
  ['application/postscript', 'PostScript is not read: save it as .pdf.'],
  ['application/octet-stream', 'The file is not text, whatever its name says: save it as .txt or .pdf.'],
  [
    'application/zip',
    'An archive is not read, unless it is an export of one WhatsApp chat, of Slack, ChatGPT or Claude: unpack it and add the files in it.',
  ],
])

const BY_FAMILY: ReadonlyMap<string, string> = new Map([
  ['image', 'An image is not read: add its text as .txt, or a PDF that holds text.'],
  ['audio', 'A recording is not read: add its transcript as .vtt, .srt or .txt.'],
  ['video', 'A recording is not read: add its transcript as .vtt, .srt or .txt.'],
])

/** Why files of a media type are not read, and what to do. */
export function whyNotRead(mediaType: string): string {
  const [family = ''] = mediaType.split('/')
  return (
    BY_TYPE.get(mediaType) ??
    BY_FAMILY.get(family) ??
    `Files of this kind (${mediaType}) are not read. What is: ${READ}.`
  )
}
