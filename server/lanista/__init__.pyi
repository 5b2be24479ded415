from lanista import env as env
from lanista import rules as rules
from lanista import tournament as tournament
from lanista.errors import BadInputError as BadInputError
from lanista.errors import FileError as FileError
from lanista.errors import LanistaError as LanistaError
from lanista.game import Game as Game
from lanista.game import new_game as new_game
from lanista.hosting.host import StartFailureError as StartFailureError
from lanista.library.bots import Bot as Bot
from lanista.library.many import aplay_many as aplay_many
from lanista.library.many import play_many as play_many
from lanista.library.matches import Fault as Fault
from lanista.library.matches import Match as Match
from lanista.library.names import games as games
from lanista.library.names import house_bots as house_bots
from lanista.library.options import MatchOptions as MatchOptions
from lanista.library.playing import aplay as aplay
from lanista.library.playing import play as play
from lanista.library.replays import Position as Position
from lanista.library.replays import Replay as Replay
from lanista.library.replays import open_record as open_record
from lanista.match.record import BadRecordError as BadRecordError
from lanista.match.replay import MismatchError as MismatchError
from lanista.rules.registry import UnknownGameError as UnknownGameError
from lanista.tournament.worker import WorkError as WorkError

__version__: str
