import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What starts whole servers and browsers takes longest: begun first, it is not what all the others wait for. */
const SLOW = ['/tests/console/', '/tests/', '/apps/cli/', '/adapters/tools/src/git/', '/adapters/postgres/']

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = SLOW.findIndex((part) => moduleId.includes(part))
  return rank === -1 ? SLOW.length : rank
}

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer's own
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
