/** Moves the focus to the main content. */
export const focusPage = (): void => document.getElementById('main')?.focus()
