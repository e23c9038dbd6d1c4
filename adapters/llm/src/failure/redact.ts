const LONGEST = 300

/** What a vendor said, as one short line that cannot steer a terminal and without the key, however it is written. */
export function redact(text: string, apiKey: string | undefined): string {
  const line = withoutKey(text, apiKey)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

function withoutKey(text: string, apiKey: string | undefined): string {
  if (!apiKey) return text
  const forms = [apiKey, encodeURIComponent(apiKey), Buffer.from(apiKey).toString('base64')]
  return forms.reduce((left, form) => left.replaceAll(form, '[key]'), text)
}
