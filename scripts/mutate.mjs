// `npm run mutate`: installs missing packages, then runs scripts/mutate/run.mjs with the pinned Node.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { environment, install, pinnedNode, root } from './setup.mjs'

const HELP = `npm run mutate [-- <path> …]

Changes the security rules, one small change (a mutant) at a time, and runs their tests. A mutant that no test notices
survives. The exit code is 1 if an area scores below 90 %.

  <path>   only the mutants of these files or folders
  --list   list the mutants, and run nothing
  --help   print this help
`

const args = process.argv.slice(2)
const unknown = args.find((arg) => arg.startsWith('-') && !['--list', '--help'].includes(arg))
if (args.includes('--help')) {
  process.stdout.write(HELP)
} else if (unknown !== undefined) {
  process.stderr.write(`npm run mutate has no option ${unknown}.\n\n${HELP}`)
  process.exitCode = 2
} else {
  install()
  const script = join(root, 'scripts', 'mutate', 'run.mjs')
  const { status } = spawnSync(pinnedNode, [script, ...args], { env: environment, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
