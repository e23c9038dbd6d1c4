// `npm run build`: bundles the console and the CLI.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildConsole, environment, install, pinnedNode, root } from './setup.mjs'

install()
buildConsole()
const bundle = join(root, 'apps', 'cli', 'scripts', 'bundle.mjs')
const { status } = spawnSync(pinnedNode, [bundle], { env: environment, stdio: 'inherit' })
process.exit(status ?? 1)
