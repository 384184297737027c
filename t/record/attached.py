# SPDX-License-Identifier: ISC
"""Goes on while it is recorded, until there is a file DIR/end, and tells in
DIR/wrong what was not as it should be: attached.py DIR.  DIR/go has it start a
thread; it makes DIR/ready and DIR/gone."""
import os
import subprocess
import sys
import threading
import time

folder = sys.argv[1]
ending = threading.Event()


def there(name):
    return os.path.exists(os.path.join(folder, name))


def say(name, text=''):
    with open(os.path.join(folder, name), 'a') as f:
        f.write(text)


def leaf(n):
    for _ in range(n):
        pass


def old():
    while not ending.is_set():
        leaf(2000)


def fresh():
    while not ending.is_set():
        leaf(2000)


def brief():
    leaf(100)


def idle():
    ending.wait()


def sleeper():
    while not ending.is_set():
        start = time.monotonic()
        time.sleep(0.02)
        if time.monotonic() - start < 0.02:
            say('wrong', 'a sleep was too short\n')


def starter():
    while not ending.is_set():
        done = subprocess.run(['/bin/sh', '-c', 'echo x; exit 7'],
                              stdout=subprocess.PIPE)
        if done.returncode != 7 or done.stdout != b'x\n':
            say('wrong', '%r\n' % (done,))
        thread = threading.Thread(target=brief)
        thread.start()
        thread.join()
        time.sleep(0.02)


def main():
    threads = [threading.Thread(target=f)
               for f in (old, idle, sleeper, starter)]
    for t in threads:
        t.start()
    say('ready')
    while not there('end'):
        leaf(20000)
        if there('go'):
            os.remove(os.path.join(folder, 'go'))
            threads.append(threading.Thread(target=fresh))
            threads[-1].start()
            say('gone')
    ending.set()
    for t in threads:
        t.join()


if __name__ == '__main__':
    main()
