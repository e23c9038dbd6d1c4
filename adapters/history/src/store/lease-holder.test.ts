import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { firstLine } from '../testing/history-process.ts'
import { isAlive, newLeaseHolder } from './lease-holder.ts'

test('a holder is alive while its process is', async () => {
  expect(isAlive(newLeaseHolder())).toBe(true)
  const child = spawn('sleep', ['60'])
  const holder = `${child.pid}::abc`
  expect(isAlive(holder)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isAlive(holder)).toBe(false)
})

test('a process that was given the same id later is not the holder', () => {
  expect(isAlive(`${process.pid}:1:abc`)).toBe(false)
})

test('a process that has ended is not alive because its parent has not noticed', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const pid = Number(await firstLine(parent.stdout))
  const stat = () => readFile(`/proc/${pid}/stat`, 'utf8')
  const holder = `${pid}:${(await stat()).split(' ')[21]}:abc`
  expect(isAlive(holder)).toBe(true)
  process.kill(pid, 'SIGKILL')
  const deadline = Date.now() + 10_000
  while (!(await stat()).includes(') Z ') && Date.now() < deadline) await delay(5)
  expect(isAlive(holder)).toBe(false)
})
