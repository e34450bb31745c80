import { expect, test } from 'vitest';
import { readPython } from './read-python.ts';

const source = `
Event = Output | Notice


class Box(Base):
    """A box
    of a service."""

    # Names it.
    name: str
    kind: Literal["end"] = "end"
    _hidden: int

    def __init__(self, api: Operations) -> None:
        self.name = "x"

    @property
    def files(self) -> Files:
        """Files of it."""
        return Files(self)

    def find(
        self,
        name: str,
        *,
        wish: Union[t.Wish, None] = None,
        on_text: Callable[[str], None] | None = None,
    ) -> g.Answer:
        """Finds it."""
        if name:
            return None

    def close(self) -> None:
        pass

    def _inner(self) -> None:
        """Not for programs."""


class Client:
    def __init__(self, url: str | None = None) -> None:
        """The address is optional."""


def helper() -> None:
    """Not of a class."""
`;

test('classes have signatures and descriptions, without what is private', () => {
  const [event, box, client] = readPython('boxes', source);
  expect(event).toMatchObject({ name: 'Event', text: 'Event = Output | Notice' });
  expect(box).toMatchObject({ heading: 'class Box', doc: 'A box of a service.', bases: ['Base'], part: 'boxes' });
  expect(box?.members).toEqual([
    { signature: 'name: str', doc: 'Names it.' },
    { signature: 'kind: Literal["end"]', doc: '' },
    { signature: 'files: Files', doc: 'Files of it.' },
    {
      signature:
        'find(name: str, *, wish: management.Wish | None = None, on_text: Callable[[str], None] | None = None) -> guest.Answer',
      doc: 'Finds it.',
    },
    { signature: 'close() -> None', doc: '' },
  ]);
  expect(client?.members).toEqual([{ signature: '(url: str | None = None)', doc: 'The address is optional.' }]);
});
