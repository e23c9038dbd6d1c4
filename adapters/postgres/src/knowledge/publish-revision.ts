/** What was found before is found no more, wherever answers are kept. */
export const RAISE_PUBLISH_REVISION = {
  name: 'raise_publish_revision',
  text: 'update reflections set publish_revision = publish_revision + 1 where id = $1',
}
