import type { MySettings, PersonId } from '@parley/contracts'
import type { Run } from '../queries.ts'

/** What the console remembers of each person. */
export interface PersonSettings {
  /** As they are before anything was set, where nothing was. */
  read(personId: PersonId): Promise<MySettings>
  write(personId: PersonId, settings: MySettings): Promise<void>
}

export const postgresPersonSettings = (run: Run): PersonSettings => ({
  async read(personId) {
    const [row] = await run<MySettings>(READ, [personId])
    return { tour: row?.tour ?? 'due' }
  },

  async write(personId, { tour }) {
    await run(WRITE, [personId, tour])
  },
})

const READ = { name: 'read_person_settings', text: 'select tour from person_settings where person_id = $1' }

const WRITE = {
  name: 'write_person_settings',
  text: `insert into person_settings (person_id, tour) values ($1, $2)
    on conflict (person_id) do update set tour = excluded.tour`,
}
