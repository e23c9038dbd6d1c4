// `npm run docs`: writes docs/cli.md and docs/configuration.md.
import { writeFile } from 'node:fs/promises'
import { renderPages } from '../src/docs/pages.ts'

for (const [path, text] of Object.entries(renderPages())) {
  await writeFile(new URL(`../../../${path}`, import.meta.url), text)
}
