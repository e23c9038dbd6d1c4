import { readFileSync } from 'node:fs'

/** Reads the statements of a file in bench/floor, by name. */
export function readFloorSql(file: FloorFile): (name: string) => string {
  const [, ...blocks] = readFileSync(floorFile(file), 'utf8').split(/^-- name: /m)
  const statements = new Map(blocks.map(nameAndText))
  return (name) => {
    const text = statements.get(name)
    if (text === undefined) throw new Error(`bench/floor/${file} has no statement "${name}".`)
    return text
  }
}

export type FloorFile = 'sqlite.sql' | 'postgres.sql' | 'retrieve.sql'

export const floorFile = (file: FloorFile): URL => new URL(`../../floor/${file}`, import.meta.url)

function nameAndText(block: string): readonly [string, string] {
  const end = block.indexOf('\n')
  const text = block.slice(end).replace(/^--.*$/gm, '')
  return [block.slice(0, end).trim(), text.trim()]
}
