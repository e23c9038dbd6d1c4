// `npm start`: sets up what is missing, then runs `parley up` on the pinned Node.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildConsole, environment, install, pinnedNode, root, say } from './setup.mjs'

say('Parley')
install()
buildConsole()

const parley = join(root, 'apps', 'cli', 'bin', 'parley.mjs')
const child = spawn(pinnedNode, [parley, 'up', ...process.argv.slice(2)], {
  env: environment,
  stdio: 'inherit',
})

// Ctrl-C also reaches the child, so wait for its exit. Other signals reach only this process, so pass them on.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
process.on('SIGHUP', () => child.kill('SIGHUP'))

// npm's shell passes no signals on. If the shell is gone, stop.
const parent = process.ppid
setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 1_000)
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
