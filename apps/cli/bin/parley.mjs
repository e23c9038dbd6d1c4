#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still print the required version.
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `parley: Parley needs Node 22.18 or later; this is Node ${process.versions.node}.\n` +
      '  In the clone, run `npx parley …` after `npm install`: it includes the right Node.\n' +
      '  Elsewhere, install Node 24 from https://nodejs.org and run parley again.\n',
  )
  process.exitCode = 2
} else {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  const cacheFolder = join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley')
  // Node's default is below /tmp, where other users could put code that we would run.
  module.enableCompileCache?.(NODE_COMPILE_CACHE || cacheFolder)
  const { main } = await import('../src/main.ts')
  process.exitCode = await main(process.argv.slice(2))
  // Exit once the output is written: a library may have left a timer running.
  const leave = () =>
    process.stdout.writableLength + process.stderr.writableLength > 0 ? soon() : process.exit()
  const soon = () => setTimeout(leave, 1_000).unref()
  soon()
}
