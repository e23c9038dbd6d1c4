// `npm run docs`: writes docs/cli.md, docs/configuration.md and docs/schemas.
import { writeFile } from 'node:fs/promises'
import { renderPages } from './pages.ts'

for (const [path, text] of Object.entries(renderPages())) {
  await writeFile(new URL(`../../../${path}`, import.meta.url), text)
}
