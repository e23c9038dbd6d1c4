/** Takes the keys where what had them is gone; from nothing that has them. */
export function focusIfLost(element: HTMLElement | null): void {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body) element?.focus()
}
