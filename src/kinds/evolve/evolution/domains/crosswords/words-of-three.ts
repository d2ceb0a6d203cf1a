/** Common English words with clues, one word per line; see generate.ts. */
export const WORDS_OF_THREE = `
ACE playing card that can be worth one or eleven
ACT what an actor does
ADD put numbers together
AGE number of years lived
AID help
AIM point at a target
AIR what we breathe
ALE drink from the pub
ANT small insect that lives in a colony
APE gorilla or chimpanzee
APT suitable
ARC part of a circle
ARE form of "to be"
ARM limb with an elbow
ART paintings and sculptures
ASH what a fire leaves
ASK put a question
ATE had a meal
AWE wonder mixed with fear
AXE tool for chopping wood
BAD not good
BAG you carry shopping in it
BAR counter where drinks are served
BAT flying mammal
BED you sleep in it
BEE insect that makes honey
BET wager
BIG large
BIN rubbish goes in here
BIT small piece
BOX cardboard container
BUS it stops for passengers
BUY get for money
CAB taxi
CAN tin of soup
CAP hat with a peak
CAR vehicle with four wheels
CAT pet that purrs
COT bed for a baby
COW farm animal that gives milk
CRY shed tears
CUP you drink tea from it
CUT use scissors
DAD mother's partner
DAM wall that holds back a river
DAY twenty-four hours
DEN home of a fox
DEW drops on the morning grass
DIG make a hole with a spade
DIM not bright
DOG pet that barks
DOT point on an i
DRY without water
DUE expected to arrive
EAR you hear with it
EAT take food
EEL fish like a snake
EGG a hen lays it
ELF small helper in fairy tales
ELM tall shade tree
END last part
ERA long period of history
EVE day before a holiday
EWE female sheep
EYE you see with it
FAN it moves air to cool you
FAR a long way off
FAT opposite of thin
FEE payment for a service
FEW not many
FIG soft fruit with many seeds
FIN part of a fish
FIR evergreen tree
FIT in good shape
FLY insect that bothers you
FOG thick mist
FOX red animal with a bushy tail
FUN good times
FUR coat of an animal
GAP space between two things
GAS not a solid and not a liquid
GEM precious stone
GET receive
GOD one who is worshipped
GUM you chew it
HAM meat from a pig
HAT it is worn on the head
HAY dried grass
HEN female chicken
HER belonging to that woman
HID kept out of sight
HIP joint above the leg
HIT strike
HOT very warm
HUT simple wooden house
ICE frozen water
ILL not well
INK a pen is filled with it
INN small country hotel
ION charged atom
ITS belonging to that thing
IVY plant that climbs walls
JAM sweet spread for bread
JAR glass pot
JET fast plane
JOB paid work
JOY great happiness
KEY it opens a lock
KIT set of tools
LAB where experiments are done
LAP part of you that a cat sits on
LAW rule made by a parliament
LAY put down
LED showed the way
LEG limb with a knee
LET allow
LID top of a pot
LIE say what is not true
LIP edge of the mouth
LOG piece of a tree trunk
LOT large amount
LOW not high
MAD very angry
MAN grown boy
MAP it shows the way
MAT you wipe your feet on it
MEN grown boys
MET came together
MIX stir together
MUD wet earth
MUG large cup with a handle
NAP short sleep
NET it catches fish
NEW just made
NOD move the head for yes
NOR neither's partner
NOT word that denies
NOW at this moment
NUT almond or walnut
OAK tree with acorns
OAR it moves a rowing boat
OAT grain for porridge
ODD like 1, 3 and 5
OIL it keeps an engine running smoothly
OLD not young
ONE first number
ORE rock that holds metal
OUR belonging to us
OUT not at home
OWE have to pay back
OWL bird of the night
OWN have
PAN it is used for frying
PAT touch gently
PAY give money for work
PEA small green vegetable
PEN you write with it
PET animal kept at home
PIE pastry with a filling
PIG animal in a sty
PIN thin piece of metal with a head
PIT large hole in the ground
POD case of peas
POT vessel for cooking
PUT place
RAN moved fast on foot
RAT large relative of the mouse
RAW not cooked
RAY beam of light
RED colour of blood
RIB bone of the chest
RID make free of
ROD stick for fishing
ROT go bad
ROW line of seats
RUB move a cloth back and forth
RUG small carpet
RUN move fast on foot
RYE grain for dark bread
SAD unhappy
SAT was on a chair
SAW tool with teeth
SAY speak
SEA salt water
SEE use the eyes
SET put in place
SEW work with needle and thread
SHE that girl
SIN wrong in the eyes of a church
SIP small drink
SIT take a chair
SIX half a dozen
SKI glide over snow
SKY it is blue on a fine day
SON male child
SUM result of adding
SUN star that rises in the east
TAN colour from a holiday at the beach
TAP water comes out of it
TAR black stuff on roads
TAX money for the state
TEA drink made with leaves
TEN number of fingers
THE most common word in English
TIE it is worn around the neck
TIN metal of old cans
TIP money for a waiter
TOE one of ten on the feet
TON one thousand kilograms
TOP highest part
TOY thing to play with
TRY make an attempt
TUB large bath
TWO a pair
URN vase for ashes
USE put to work
VAN small lorry
VET doctor for animals
WAR opposite of peace
WAS used to be
WAX candles are made of it
WAY road
WEB a spider makes it
WET full of water
WHO which person
WHY for what reason
WIN come first
WIT clever humour
YES opposite of no
YET until now
YOU the person who reads this
ZOO where wild animals are shown
`;
