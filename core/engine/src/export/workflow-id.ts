const LONGEST = 64
const FALLBACK = 'exported-session'

/** A title as an id: its ASCII letters and digits, in lower case, with hyphens between the words. */
export function workflowId(title: string | undefined): string {
  const slug = (title ?? '')
    .replace(/[^\0-\x7f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '')
  return slug === '' ? FALLBACK : slug
}
