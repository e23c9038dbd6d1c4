import type { Page } from 'playwright-core'

/** Opens a part of the reflection from its navigation. */
export const openReflectionPart = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the reflection' }).getByRole('link', { name }).click()

/** The row of an imported source. */
export const findImportedSource = (page: Page, title: string) =>
  page.locator('li[data-state="completed"]').filter({ hasText: title })

/** Drops a file on the page. */
export async function dropFile(page: Page, name: string, text: string) {
  const files = await page.evaluateHandle(
    `(() => { const transfer = new DataTransfer(); transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)})); return transfer })()`,
  )
  await page.dispatchEvent('body', 'dragover', { dataTransfer: files })
  await page.getByText('Drop to add to').waitFor()
  await page.dispatchEvent('body', 'drop', { dataTransfer: files })
}
