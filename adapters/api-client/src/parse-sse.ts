/** Takes an event stream's text as it comes, in whatever pieces, and gives the data of each event that is complete. */
export function createSseParser() {
  let rest = ''
  let data: string[] = []

  return {
    push(text: string): readonly string[] {
      // A carriage return at the very end waits: it may be half of a line's end.
      const lines = (rest + text).split(/\r\n|\n|\r(?=[^])/)
      rest = lines.pop() ?? ''
      const complete: string[] = []
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) complete.push(data.join('\n'))
          data = []
        } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      }
      return complete
    },
  }
}
