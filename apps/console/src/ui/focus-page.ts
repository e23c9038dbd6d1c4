/** Brings the keys to the beginning of the page's own part. */
export const focusPage = (): void => document.getElementById('main')?.focus()
