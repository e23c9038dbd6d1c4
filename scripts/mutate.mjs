// `npm run mutate`: installs missing packages, then runs scripts/mutate/run.mjs with the pinned Node.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { environment, install, pinnedNode, root } from './setup.mjs'

install()
const { status } = spawnSync(
  pinnedNode,
  [join(root, 'scripts', 'mutate', 'run.mjs'), ...process.argv.slice(2)],
  {
    env: environment,
    stdio: 'inherit',
  },
)
process.exitCode = status ?? 1
